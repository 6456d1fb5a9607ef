// SPDX-License-Identifier: Apache-2.0
// [sweep]: one document in, one per trial out.
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

struct Sweep {
  std::vector<TrialTree> trials;
  bool continue_after_failure = false;
  bool shuffled = false;   ///< the trials are to be sorted by their ids
  std::size_t blocks = 1;  ///< more: the trials take turns, so many each
};

/// The combinations of matrix and zip in file order, the last key varies fastest, without what exclude names;
/// then what include adds. Each is repeated with every seed: one after the other, or, with order = "by_seed",
/// all with the first seed, then all with the next. A key that the command line sets is taken out of the
/// sweep, with a note. What is malformed is reported; the result may then be empty.
Sweep expand_sweep(Table root, const Table& overrides, Diagnostics& diagnostics,
                   std::vector<std::string>& notes);

}  // namespace halfling::config
