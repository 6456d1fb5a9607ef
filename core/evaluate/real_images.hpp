// SPDX-License-Identifier: Apache-2.0
// Real images of a data set, as the networks of an experiment get them: those that are held out, and those
// that are trained with.
#pragma once

#include <memory>

#include "experiment/experiment.hpp"
#include "input/dataset_part.hpp"
#include "input/transform_chain.hpp"
#include "plugin/registry.hpp"
#include "quality/features.hpp"

namespace halfling {

class RealImages {
 public:
  /// The experiment must hold samples out.
  RealImages(const Experiment& experiment, const Registry& registry);

  std::int64_t size(Part part) const { return of(part).size(); }
  /// Every time the same ones, spread evenly over the part; all where `count` is its size or more. What is
  /// random in transforms is the same every time, too.
  quality::Images take(Part part, std::int64_t count) const;
  const Shape& shape() const { return chain_.output().shape; }
  ValueRange values() const { return chain_.output().values.value_or(ValueRange{}); }
  const std::vector<std::string>& classes() const { return whole_->classes(); }
  /// A hash of the sizes, the classes, and all images, or of many where there are millions.
  std::string content() const;

 private:
  const DatasetPart& of(Part part) const { return part == Part::training ? training_ : held_out_; }

  std::shared_ptr<const Dataset> whole_;
  SampleSplit split_;
  DatasetPart training_, held_out_;
  TransformChain chain_;
};

}  // namespace halfling
