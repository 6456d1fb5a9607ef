// SPDX-License-Identifier: Apache-2.0
// The values in which two resolved experiments differ.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"

namespace halfling::cli {

struct Difference {
  std::string key;
  std::string a, b;  ///< empty where there is no such value
};

/// In the order of A, then what only B has.
std::vector<Difference> differences(const Experiment& a, const Experiment& b);

}  // namespace halfling::cli
