// SPDX-License-Identifier: Apache-2.0
// What `halfling plan --predict` tells: the time of an iteration and its cost on devices that are not there.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measure/accelerator.hpp"
#include "plan/preflight.hpp"
#include "plan/roofline.hpp"

namespace halfling::cli {

struct TrialPrediction {
  std::string trial, label;
  std::vector<std::optional<PredictedTime>> devices;  ///< by device; nullopt: it lacks a format, or memory
  std::optional<PredictedTime> here;                  ///< nullopt: a format is emulated here
  std::optional<double> measured_ms;  ///< median of a run of this trial on this device, where there is one
};

struct Predictions {
  std::vector<Accelerator> devices;
  std::string here;  ///< name of the present device
  Rates rates;       ///< of it, measured
  std::vector<TrialPrediction> trials;
};

/// Of all trials, which must have passed `preflight`. Measures the present device. `runs`: where run folders
/// are made; `own`: a catalogue of the user's.
Predictions predict(const LoadedExperiment& loaded, const Registry& registry, Preflight& preflight,
                    const std::filesystem::path& runs, const std::optional<std::filesystem::path>& own);

std::string prediction_text(const Predictions& predictions, std::size_t width);
nlohmann::ordered_json prediction_json(const Predictions& predictions);

}  // namespace halfling::cli
