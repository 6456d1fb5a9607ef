// SPDX-License-Identifier: Apache-2.0
// Which of a run's values make its setting.
#pragma once

#include <string>
#include <vector>

#include "run/run_record.hpp"

namespace halfling {

/// Key and value, but for the seed, for how long it trains, what it writes down, its name and its price; with
/// "device" and "device.threads", on which it ran.
std::vector<std::pair<std::string, std::string>> setting_values(const RunRecord& run);
/// The values but precision and batch size.
std::string family_of(const RunRecord& run);
/// Precision and batch size.
std::string setting_of(const RunRecord& run);
/// Keys whose values are not the same in all runs, where the seed does not count.
std::vector<std::string> differing_keys(const std::vector<RunRecord>& runs);
/// A value that fits into a cell or a legend: at most so many bytes of whole UTF-8 characters, then "...".
std::string shortened(const std::string& value, std::size_t bytes);

}  // namespace halfling
