// SPDX-License-Identifier: Apache-2.0
// The graph of the numerics monitor: a copy of the iteration that changes no state and counts the exponents
// of chosen values, before and after they are rounded to their format.
#pragma once

#include <string>
#include <vector>

#include "halfling/dtype.hpp"
#include "iteration/iteration.hpp"

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

}  // namespace halfling
