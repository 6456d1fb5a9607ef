// SPDX-License-Identifier: Apache-2.0
// What a run tells about itself while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halfling {

/// One training operation, after an iteration.
struct OperationFigures {
  std::string name;
  double loss = 0;
  double scale = 1;          ///< loss scale of that iteration
  std::int64_t skipped = 0;  ///< updates left out so far
  std::int64_t found = 0;    ///< iterations so far in which its own loss or gradients were not finite
};

/// A run, after an iteration.
struct RunFigures {
  std::int64_t iteration = 0;  ///< iterations made
  std::int64_t epoch = 0;      ///< of the last batch, from 0
  double elapsed = 0;          ///< seconds of training
  double images_per_s = 0;     ///< since the figures before these
  std::optional<double> left;  ///< seconds to go, where that is known
  std::vector<OperationFigures> operations;
};

}  // namespace halfling
