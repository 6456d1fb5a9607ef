// SPDX-License-Identifier: Apache-2.0
#include "input/dataset_part.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiment/experiment.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling {

DatasetPart::DatasetPart(std::shared_ptr<const Dataset> whole, SampleSplit split, Part part)
    : whole_(std::move(whole)), split_(split), part_(part) {}

std::int64_t DatasetPart::size() const {
  return part_ == Part::training ? split_.rest() : split_.picked();
}

std::int32_t DatasetPart::read(std::int64_t index, std::span<std::uint8_t> pixels) const {
  return whole_->read(part_ == Part::training ? split_.rest_at(index) : split_.picked_at(index), pixels);
}

SampleSplit holdout_split(std::int64_t size, double share) {
  const std::int64_t held_out = std::llround(share * static_cast<double>(size));
  if (held_out >= 1 && held_out < size) return {size, held_out};
  throw Error({.what = held_out < 1 ? "no sample would be held out" : "no sample would be left to train with",
               .where = "dataset.holdout",
               .got = fmt::format("{} of {} samples", share, size),
               .expected = "a share that leaves at least one sample on either side",
               .hint = held_out < 1 ? "raise dataset.holdout, or leave it out" : "lower dataset.holdout",
               .kind = ErrorKind::usage});
}

std::unique_ptr<Dataset> training_part(const Experiment& experiment, const Registry& registry) {
  std::unique_ptr<Dataset> whole =
      registry.create<Dataset>(experiment.dataset.use, experiment.dataset.options);
  if (experiment.dataset.holdout == 0) return whole;
  const SampleSplit split = holdout_split(whole->size(), experiment.dataset.holdout);
  return std::make_unique<DatasetPart>(std::move(whole), split, Part::training);
}

}  // namespace halfling
