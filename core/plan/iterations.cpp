// SPDX-License-Identifier: Apache-2.0
#include "plan/iterations.hpp"

#include <algorithm>

namespace halfling {

BatchSpec spec_of(const DataFacts& data, std::int64_t batch) {
  return {batch, data.image, static_cast<std::int64_t>(data.classes.size()), data.values};
}

IterationMaker::IterationMaker(const Experiment& e, const Registry& registry, const Platform& platform,
                               const DataFacts& data)
    : scaler_(registry.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options)),
      optimizer_(registry.create<Optimizer>(e.optimizer.use, e.optimizer.options)),
      request_{.architecture = platform.architecture.get(),
               .policy = platform.policy.get(),
               .scaler = scaler_.get(),
               .scope = e.loss_scaler.scope,
               .skip_together = e.loss_scaler.skip_together,
               .optimizers = {},
               .optimizer = optimizer_.get(),
               .schedule = e.optimizer.schedule,
               .average = e.average,
               .spec = {}} {
  for (const auto& [operation, own] : e.optimizer_of)
    request_.optimizers[operation] = {
        own_.emplace_back(registry.create<Optimizer>(own.use, own.options)).get(), own.schedule};
  const Cycle cycle(request_.architecture->training(spec_of(data, e.input.batch_size)));
  const std::int64_t samples = e.input.batch_size * cycle.batches();
  request_.units = units_of(e.budget, samples, std::max<std::int64_t>(1, data.samples / samples));
}

Iterations IterationMaker::all(const BatchSpec& spec) {
  Iterations result{Cycle(request_.architecture->training(spec)), {}};
  request_.spec = spec;
  for (std::size_t i = 0; i < result.cycle.variants(); ++i) {
    request_.variant = i;
    result.graphs.push_back(build_iteration(request_));
  }
  return result;
}

IterationGraph IterationMaker::observed(const BatchSpec& spec) const {
  IterationRequest request = request_;
  request.spec = spec;
  request.variant = 0;
  request.observe = true;
  return build_iteration(request);
}

}  // namespace halfling
