// SPDX-License-Identifier: Apache-2.0
// What an iteration's phases read: the batch from the host, noises from the random counter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "iteration/iteration.hpp"

namespace halfling {

class IterationInputs {
 public:
  /// Declares the inputs of the iteration's batches, and the random counter, in `graph`. Graph and request
  /// must outlive this.
  IterationInputs(Graph& graph, const IterationRequest& request, std::int64_t batches);

  /// By name, all that a phase may read in the run that reads this batch; draws the noises that it is the
  /// first one to ask for.
  const std::map<std::string, ValueId>& of(const Graph& phase, std::int64_t batch);
  /// Makes the counter that of the next iteration.
  void advance();

 private:
  void declare(std::int64_t batch);
  ValueId draw(const Noise& noise, const Shape& shape, std::int64_t batch);
  ValueId draw_part(const Noise& noise, const Shape& shape, std::int64_t batch);

  Graph& graph_;
  const IterationRequest& request_;
  ValueId random_ = no_value;
  std::vector<std::map<std::string, ValueId>> inputs_;  ///< by batch
};

}  // namespace halfling
