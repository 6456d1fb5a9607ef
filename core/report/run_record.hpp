// SPDX-License-Identifier: Apache-2.0
// What a run left in its folder, read back for a report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/observation.hpp"
#include "report/summary.hpp"

namespace halfling {

struct LossPoint {
  std::int64_t iteration = 0;
  std::vector<double> losses;  ///< by training operation of the summary; NaN where not finite
  std::vector<double> scales;
};

struct RunRecord {
  std::filesystem::path folder;
  Summary summary;
  std::vector<LossPoint> losses;
  std::vector<Observation> observations;
  std::filesystem::path grid;  ///< the newest one; empty without one

  /// "precision.use=mixed", or what tells the run apart otherwise; names emulated formats.
  std::string title() const;
  /// The observations of the last iteration that was observed.
  std::vector<Observation> last_observations() const;
};

/// Throws Error (usage) where the folder holds no summary.json that can be understood.
RunRecord read_run(const std::filesystem::path& folder);
/// The folder itself where it is a run, else the runs in it, in the order in which they ended. Throws Error
/// (usage) where there is none.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

}  // namespace halfling
