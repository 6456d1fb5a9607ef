// SPDX-License-Identifier: Apache-2.0
// [sweep.matrix]: one document in, one per combination out.
#pragma once

#include <string>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

struct TrialTree {
  std::string label;  ///< "precision.use=mixed, input.batch_size=64"; empty without a sweep
  Table tree;         ///< without the sweep
};

/// Keys in file order, the last varies fastest. A key that the command line sets is taken out of the matrix,
/// with a note. What is malformed is reported; the result may then be empty.
std::vector<TrialTree> expand_sweep(Table root, const Table& overrides, Diagnostics& diagnostics,
                                    std::vector<std::string>& notes);

}  // namespace halfling::config
