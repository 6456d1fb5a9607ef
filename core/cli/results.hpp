// SPDX-License-Identifier: Apache-2.0
// What came of the trials of `halfling run`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/groups.hpp"
#include "run/run_folder.hpp"
#include "train/schedule.hpp"

namespace halfling::cli {

/// What is to be done.
struct Plan {
  LoadedExperiment loaded;
  std::vector<RunFolder> folders;    ///< by trial
  std::vector<Limits> limits;        ///< by trial, of those to run
  std::vector<std::size_t> numbers;  ///< of the trials to run, from 0
};

struct Failure {
  std::size_t number = 0;  ///< of the trial, from 0
  std::string error;
};

struct Results {
  std::vector<ComparedRun> runs;  ///< of the trials that ran, or had run before
  std::vector<Failure> failed;
};

/// `trials`: each with its folder, status and summary; `settings`: what the table says, with ratios as
/// numbers.
nlohmann::ordered_json results_json(const Plan& plan, const Results& results, const std::string& baseline);

}  // namespace halfling::cli
