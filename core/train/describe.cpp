// SPDX-License-Identifier: Apache-2.0
#include "train/describe.hpp"

#include "measure/price.hpp"

namespace halfling {

RunDescription describe(const Trial& trial, const RunFolder& folder, const Limits& limits, double elapsed,
                        double setup_s) {
  const Experiment& experiment = trial.experiment();
  const Platform& platform = trial.platform();
  const Dataset& data = trial.dataset();
  RunDescription run{{.experiment = experiment.name,
                      .trial = experiment.id,
                      .label = experiment.label,
                      .backend = platform.backend_name,
                      .device = platform.device.name,
                      .precision = experiment.precision.use,
                      .native = platform.native(),
                      .emulated = platform.emulated,
                      .batch_size = experiment.input.batch_size,
                      .samples_per_iteration = trial.samples_per_iteration()}};
  if (experiment.cost.price && run.native)
    run.price = find_price(*experiment.cost.price, experiment.cost.prices);
  run.folder = folder.path();
  for (const Origin& origin : experiment.origins) run.settings.emplace_back(origin.key, origin.value);
  run.library = platform.device.library;
  run.automatic = experiment.backend.use == "auto";
  run.passed_over = platform.passed_over;
  run.operations = trial.iteration().operations;
  run.classes = data.classes();
  run.image = trial.spec().image;
  run.samples = data.size();
  run.iterations_per_epoch = trial.iterations_per_epoch();
  run.parameters = trial.parameters();
  run.iteration = trial.iterations_done();
  run.elapsed = elapsed;
  run.setup_s = setup_s;
  run.last_iteration = limits.iterations;
  run.time = limits.seconds;
  return run;
}

}  // namespace halfling
