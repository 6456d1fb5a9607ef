// SPDX-License-Identifier: Apache-2.0
// The numerics monitor: histograms of the exponents of gradients and activations, counted on the device
// before and after they are rounded to their format. It is an executable of its own, a copy of the iteration
// that changes no state: a run without a monitor does not pay for one, and what is observed is not changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halfling/backend.hpp"
#include "input/batch_source.hpp"
#include "iteration/monitor_graph.hpp"
#include "run/observation.hpp"

namespace halfling {

class Monitor {
 public:
  /// Compiles in the session. `half`: the format whose limits count for values of wider formats.
  Monitor(Session& session, const IterationGraph& iteration, const std::vector<std::string>& patterns,
          DType half);

  /// What the next iteration will compute for its batches, before it runs; of a phase that does not run in
  /// it, what it would compute. The iteration's number is left 0.
  std::vector<Observation> observe(const Batch& batches);
  MemoryUse memory() const { return executable_->memory(); }

 private:
  ExponentHistogram total(const std::vector<std::string>& outputs);

  MonitorGraph monitor_;
  std::int64_t batches_;
  DType half_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace halfling
