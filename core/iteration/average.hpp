// SPDX-License-Identifier: Apache-2.0
// Exponential moving averages of networks: [average].
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "halfling/builder.hpp"

namespace halfling {

/// What the average of a state is called.
std::string average_name(const std::string& state);
/// The other way: the state of an average.
std::string averaged_state(const std::string& average);

/// A parameter that an operation of the iteration updates, and whether that update is skipped.
struct MadeUpdate {
  std::string parameter;
  Value skip;
};

/// Appends the averages of some parameters and batch-norm statistics, as they are at the end of an iteration,
/// to its graph. A network is what stands before the first dot of a name. Where no update of a network was
/// made, its averages stay; else, with t the iterations in which one was made, this one included,
///   average' = average + (1 - min(decay, (1 + t) / (10 + t))) (value - average)
/// as TensorFlow's ExponentialMovingAverage with num_updates, so that the first values do not weigh for long.
/// An average begins as its state does, and has its format.
void append_averages(Graph& graph, const AverageSettings& settings, const std::vector<std::string>& states,
                     const std::vector<MadeUpdate>& updates);

/// Names of the parameters and statistics of a sampling graph that have an average. Throws Error (usage)
/// where a network of the settings has none.
std::vector<std::string> averaged_states(const Graph& sampling, const AverageSettings& settings);

/// The sampling graph on averages instead of the states of these names.
Graph with_averages(const Graph& sampling, const std::vector<std::string>& states);

}  // namespace halfling
