// SPDX-License-Identifier: Apache-2.0
#include "plan/data_facts.hpp"

#include "input/dataset_part.hpp"
#include "input/transform_chain.hpp"

namespace halfling {

DataFacts facts_of(const Experiment& experiment, const Registry& registry) {
  const auto dataset = registry.create<Dataset>(experiment.dataset.use, experiment.dataset.options);
  DataFacts facts{dataset->size(), dataset->sample_shape(), dataset->classes()};
  if (experiment.dataset.holdout == 0) return facts;
  const SampleSplit split = holdout_split(facts.samples, experiment.dataset.holdout);
  facts.samples = split.rest();
  facts.held_out = split.picked();
  return facts;
}

DataFacts transformed(DataFacts facts, const Experiment& experiment, const Registry& registry) {
  const TransformChain chain({.shape = facts.image}, make_transforms(experiment, registry));
  facts.image = chain.output().shape;
  facts.values = chain.output().values.value_or(ValueRange{});
  return facts;
}

}  // namespace halfling
