// SPDX-License-Identifier: Apache-2.0
// What a run left in its folder, read back for a report. Of the folder, only regular files are read: no links
// out of it, no devices, no pipes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/observation.hpp"
#include "run/summary.hpp"

namespace halfling {

/// An image grid.
struct Grid {
  std::filesystem::path file;
  std::int64_t iteration = -1;
};

struct RunRecord {
  std::filesystem::path folder;
  /// Of a run without a summary.json, what its other files tell, as far as it got: no times. `status` is
  /// then, and while a run continues, "running", or "killed" where no process trains in the folder.
  Summary summary;
  nlohmann::ordered_json environment;  ///< environment.json; an empty object where there is none
  std::vector<std::pair<std::string, std::string>> values;  ///< provenance.json: key, resolved value as TOML
  std::vector<RunMetrics> metrics;
  std::vector<Observation> observations;
  std::vector<Grid> grids;           ///< by iteration
  std::filesystem::path data_sheet;  ///< empty where there is none

  /// A resolved value, texts without their quotation marks; empty where the experiment has no such key.
  std::string value(std::string_view key) const;
  /// What environment.json has at a path of keys ("/device/name"), as text; empty where it has nothing there.
  std::string environment_text(const std::string& pointer) const;
  /// "fp16" or "bf16": the half format of the policy, `half = "auto"` resolved for the device; empty without
  /// one.
  std::string half() const;
  /// The observations of the last iteration that was observed.
  std::vector<Observation> last_observations() const;
};

/// Throws Error (usage) where the folder holds no run.
RunRecord read_run(const std::filesystem::path& folder);
/// The folder itself where it is a run, else the runs in it, else those in its folders, in the order in which
/// they ended. Throws Error (usage) where there is none.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

}  // namespace halfling
