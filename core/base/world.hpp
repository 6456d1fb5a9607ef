// SPDX-License-Identifier: Apache-2.0
// The processes that train one trial together.
#pragma once

namespace halfling {

/// Which of them this is. All hold the same states; each takes its own part of every batch.
struct World {
  int rank = 0;
  int size = 1;
  /// The only one that creates a run's folder and writes into it; the others may read there.
  bool writes_files() const { return rank == 0; }
};

}  // namespace halfling
