// SPDX-License-Identifier: Apache-2.0
#include "plan/prediction.hpp"

#include "plan/iterations.hpp"

namespace halfling {
namespace {

std::optional<PredictedTime> mean_time(const Iterations& iterations, const Rates& rates) {
  PredictedTime mean;
  for (std::size_t i = 0; i < iterations.graphs.size(); ++i) {
    const auto time = predicted_time(iterations.graphs[i].graph, rates);
    if (!time) return std::nullopt;
    const double share = iterations.cycle.share_of(i);
    mean.contractions += share * time->contractions;
    mean.loops += share * time->loops;
    mean.updates += share * time->updates;
    mean.launches += share * time->launches;
  }
  return mean;
}

}  // namespace

std::vector<std::optional<PredictedTime>> predicted_times(const Experiment& experiment,
                                                          const Registry& registry, const Platform& platform,
                                                          const DataFacts& data,
                                                          std::span<const Rates> devices) {
  IterationMaker maker(experiment, registry, platform, data);
  const Iterations iterations = maker.all(spec_of(data, experiment.input.batch_size));
  std::vector<std::optional<PredictedTime>> times;
  for (const Rates& rates : devices) times.push_back(mean_time(iterations, rates));
  return times;
}

}  // namespace halfling
