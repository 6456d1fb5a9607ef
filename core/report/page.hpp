// SPDX-License-Identifier: Apache-2.0
// The report: one HTML page that needs nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace halfling {

/// Draws the figures into `figures`, which is made, and writes the page with everything inside of it: table,
/// loss curves, image grids, histograms; several runs side by side. Returns the commands of figures that
/// could not be drawn because gnuplot is missing; the page names them too. Throws Error where a file cannot
/// be written.
std::vector<std::string> write_page(const std::filesystem::path& file, const std::filesystem::path& figures,
                                    const std::vector<RunRecord>& runs);

}  // namespace halfling
