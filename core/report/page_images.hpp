// SPDX-License-Identifier: Apache-2.0
// The parts of a page that show images, as HTML; each is empty where there are none.
#pragma once

#include <filesystem>
#include <string>

#include "report/report.hpp"

namespace halfling {

/// The newest grid of each run.
std::string newest_grids(const Report& report);
/// How the images of each run came to be. Writes the strips into a folder, which exists.
std::string grids_over_time(const Report& report, const std::filesystem::path& figures);
/// What the networks saw of the data, once of runs on the same.
std::string data_sheets(const Report& report);

}  // namespace halfling
