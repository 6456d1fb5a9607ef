// SPDX-License-Identifier: Apache-2.0
// Images that a run's generator draws, of any classes and in any number.
#pragma once

#include <filesystem>
#include <span>

#include "plan/platform.hpp"
#include "quality/features.hpp"
#include "run/snapshot.hpp"

namespace halfling {

class GeneratedImages {
 public:
  /// From a checkpoint of the experiment, on its backend. Throws Error where its architecture has no
  /// generator.
  GeneratedImages(const Experiment& experiment, const Registry& registry, std::filesystem::path checkpoint);

  const CheckpointLabel& label() const { return label_; }
  /// Whether classes can be asked for.
  bool conditional() const;
  /// An image of each label, from the same noise every time; with the weights as they were trained, or with
  /// their averages.
  quality::Images draw(std::span<const std::int32_t> labels, const AverageSettings& average);

 private:
  Platform platform_;
  std::filesystem::path checkpoint_;
  CheckpointLabel label_;
};

}  // namespace halfling
