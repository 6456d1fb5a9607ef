// SPDX-License-Identifier: Apache-2.0
// In which resolved values experiments differ.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"

namespace halfling::cli {

/// A key, and its value as TOML in each experiment; empty where it does not have the key.
struct Difference {
  std::string key;
  std::vector<std::string> values;
};

/// In the order of the first experiment, then what only later ones have.
std::vector<Difference> differences(const std::vector<const Experiment*>& experiments);

}  // namespace halfling::cli
