// SPDX-License-Identifier: Apache-2.0
// Short names for tables and legends: of all that a setting is, what tells it from the others beside it.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace halfling {

/// Fills in name, precision and others.
void name_settings(std::vector<Setting>& settings);
/// With the seed where there are several runs.
std::vector<std::string> run_names(const Setting& setting);

}  // namespace halfling
