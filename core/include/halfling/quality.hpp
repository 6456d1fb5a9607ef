// SPDX-License-Identifier: Apache-2.0
// How good the images of a run are: figures of its generated images, and the same of real ones to hold them
// against. core/run/README.md says what each means.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace halfling {

/// Of a set of images, against as many images that were trained with. NaN: not measured.
struct ImageQuality {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double frechet_distance = none;           ///< lower is better
  double kernel_distance = none;            ///< lower is better; may be below 0
  double precision = none;                  ///< 0 to 1, higher is better
  double recall = none;                     ///< 0 to 1, higher is better
  double class_accuracy = none;             ///< 0 to 1, higher is better; none without classes to ask for
  std::vector<double> class_accuracy_of{};  ///< by class
  double class_balance = none;              ///< 0 to 1: entropy of the classes that are seen
};

/// Of an earlier checkpoint.
struct QualityAt {
  std::int64_t iteration = 0;
  ImageQuality generated{};  ///< by the weights as they were trained
};

struct Quality {
  std::string error{};      ///< why nothing was measured, and then nothing below is; else empty
  std::string extractor{};  ///< what saw the images; figures of two extractors say nothing together
  double extractor_accuracy = ImageQuality::none;  ///< on held-out images
  std::int64_t samples = 0;                        ///< images in each set
  std::int64_t iteration = 0;                      ///< whose weights drew
  std::vector<std::string> classes{};              ///< names
  ImageQuality generated{};                        ///< by the weights as they were trained
  std::optional<ImageQuality> averages{};          ///< by their averages, where [average] keeps them
  std::vector<QualityAt> course{};  ///< of the checkpoints before, oldest first, where they were asked for
  ImageQuality real{};              ///< of held-out images: what a perfect generator would have
};

}  // namespace halfling
