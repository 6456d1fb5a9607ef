// SPDX-License-Identifier: Apache-2.0
// What [sweep] says, read and checked: which keys get which values together.
#pragma once

#include <string>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// One key with one of its values. Points into the document's [sweep].
struct Setting {
  const Entry* entry;
  std::vector<std::string> path;
  const TomlNode* value;
};
using Settings = std::vector<Setting>;

/// Values that take turns; those of one element are set together.
using Axis = std::vector<Settings>;

struct SweepTable {
  std::vector<Axis> axes;    ///< of matrix in file order, then of zip, then the seeds
  bool has_product = false;  ///< matrix or zip is given, or no include
  bool has_seeds = false;    ///< the last axis is of seeds
  std::vector<Settings> include, exclude;
  std::vector<Place> exclude_places;  ///< by element of exclude
  bool continue_after_failure = false;
  std::string order = "listed";  ///< listed | shuffled | by_seed | interleaved
  std::size_t blocks = 1;        ///< of each trial, where they are interleaved
};

/// Keys that the command line sets are left out, with a note. What is malformed is reported.
SweepTable read_sweep(const Entry& sweep, const Table& overrides, Diagnostics& diagnostics,
                      std::vector<std::string>& notes);

}  // namespace halfling::config
