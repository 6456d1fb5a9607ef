// SPDX-License-Identifier: Apache-2.0
// The numerics monitor: histograms of the exponents of gradients and activations, counted on the device
// before and after they are rounded to their format. It is an executable of its own, a copy of the iteration
// that changes no state: a run without a monitor does not pay for one, and what is observed is not changed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "halfling/backend.hpp"
#include "input/batch_source.hpp"
#include "report/observation.hpp"
#include "train/iteration.hpp"

namespace halfling {

/// Histograms to add up for one observation, by names of outputs.
struct MonitoredValue {
  Observed what;
  DType format = DType::f32;
  std::vector<std::string> exact;   ///< before rounding; as stored where nothing is rounded
  std::vector<std::string> stored;  ///< after it
};

struct MonitorGraph {
  Graph graph;
  std::vector<MonitoredValue> values;
};

/// Layers and parameters of a forward graph that can be observed.
std::vector<std::string> observable_names(const Graph& forward);
/// Throws Error (usage) where a pattern (see build_monitor) matches none of the names.
void check_monitored(const std::vector<std::string>& patterns, const std::vector<std::string>& names);

/// From an iteration that was built to be observed. `patterns`: "gradients" (of parameters and of layers),
/// "activations", or names of layers or parameters with "*" and "?" ("g.*"). A value of a half format is
/// computed a second time from the same operands without the last rounding; so a contraction is counted as it
/// was accumulated. Throws Error (usage) where a pattern matches nothing.
MonitorGraph build_monitor(const IterationGraph& iteration, const std::vector<std::string>& patterns);

class Monitor {
 public:
  /// Compiles in the session. `half`: the format whose limits count for values of wider formats.
  Monitor(Session& session, const IterationGraph& iteration, const std::vector<std::string>& patterns,
          DType half);

  /// What the next iteration will compute for a batch, before it runs. The iteration's number is left 0.
  std::vector<Observation> observe(const Batch& batch);
  MemoryUse memory() const { return executable_->memory(); }

 private:
  ExponentHistogram total(const std::vector<std::string>& outputs);

  MonitorGraph monitor_;
  DType half_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace halfling
