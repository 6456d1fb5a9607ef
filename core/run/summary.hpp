// SPDX-License-Identifier: Apache-2.0
// summary.json: what a run came to, for programs and for comparisons. README.md has its keys.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "halfling/run.hpp"

namespace halfling {

/// The training operations of all runs, in the order in which they first appear: runs of several
/// architectures have different ones.
template <class Runs, class ToSummary>
std::vector<std::string> operation_names(const Runs& runs, ToSummary to_summary) {
  std::vector<std::string> names;
  for (const auto& run : runs)
    for (const OperationMetrics& operation : std::invoke(to_summary, run).operations)
      if (std::ranges::find(names, operation.name) == names.end()) names.push_back(operation.name);
  return names;
}

/// What an hour costs, and where that stands: `price` in `currency`, `name`, `what`, `source`, `date`.
nlohmann::ordered_json price_json(const Price& price);
/// As the file has it.
nlohmann::ordered_json summary_json(const Summary& summary);

/// Throws Error where the file cannot be written.
void write_summary(const std::filesystem::path& file, const Summary& summary);
/// nullopt where there is none, or none that can be understood.
std::optional<Summary> read_summary(const std::filesystem::path& file);

}  // namespace halfling
