// SPDX-License-Identifier: Apache-2.0
// The samples that a trial trains with, and those that it never sees: [dataset] holdout.
#pragma once

#include <memory>

#include "halfling/dataset.hpp"
#include "input/sample_split.hpp"

namespace halfling {

struct Experiment;
class Registry;

enum class Part {
  training,
  held_out,
};

/// Some samples of a data set, in its order.
class DatasetPart final : public Dataset {
 public:
  DatasetPart(std::shared_ptr<const Dataset> whole, SampleSplit split, Part part);

  std::int64_t size() const override;
  Shape sample_shape() const override { return whole_->sample_shape(); }
  const std::vector<std::string>& classes() const override { return whole_->classes(); }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override;

 private:
  std::shared_ptr<const Dataset> whole_;
  SampleSplit split_;
  Part part_;
};

/// Which samples are held out, where a share of them is. Throws Error (usage) where a part would be empty.
SampleSplit holdout_split(std::int64_t size, double share);

/// The experiment's data set without what is held out. Throws Error (usage) as the plugin does, and as
/// holdout_split.
std::unique_ptr<Dataset> training_part(const Experiment& experiment, const Registry& registry);

}  // namespace halfling
