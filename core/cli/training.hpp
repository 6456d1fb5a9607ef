// SPDX-License-Identifier: Apache-2.0
// The trials of a plan, trained one after the other, or in turns, block by block.
#pragma once

#include "cli/results.hpp"
#include "plugin/registry.hpp"
#include "train/progress.hpp"
#include "train/turn.hpp"

namespace halfling::cli {

class Training {
 public:
  Training(const Plan& plan, const Registry& registry, bool resume, Progress& progress);

  /// Until all have come to their end, or to an interrupt. A trial's error is shown at once; what happens
  /// then, [sweep] on_failure says. A single trial throws it.
  Results run();

 private:
  struct State {
    Turn turn;
    std::optional<Summary> summary;  ///< of the last block
    bool over = false;               ///< it came to its end, or failed
  };

  bool train(std::size_t number, std::size_t block);
  bool has_run(std::size_t number);
  void show_title(std::size_t number, std::size_t block);
  Results results();

  const Plan& plan_;
  const Registry& registry_;
  bool resume_;
  Progress& progress_;
  std::size_t blocks_;
  std::vector<State> trials_;  ///< by number
  std::vector<Failure> failed_;
};

}  // namespace halfling::cli
