// SPDX-License-Identifier: Apache-2.0
// The report as a page, and for programs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace halfling {

/// Draws the figures into `figures`, which is made, and writes the page with everything inside of it; it
/// begins with the answer. Returns the commands of figures that could not be drawn because gnuplot is
/// missing; the page names them too. Throws Error where a file cannot be written.
std::vector<std::string> write_page(const std::filesystem::path& file, const std::filesystem::path& figures,
                                    const Report& report);

/// What the page says, but for its pictures: `answer`, `comparisons`, `settings` and `runs`, each with its
/// folder, summary, resolved values and metrics.
nlohmann::ordered_json report_json(const Report& report);

}  // namespace halfling
