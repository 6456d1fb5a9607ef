// SPDX-License-Identifier: Apache-2.0
// TensorBoard's events: the few fields of tensorflow's event.proto and summary.proto, and of TensorBoard's
// plugin_data.proto of hparams, that scalars, images, settings and a restart need.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halfling/protobuf.hpp"

namespace halfling::tensorboard {

struct Scalar {
  std::string tag;
  double value;
};

struct EncodedImage {
  int width, height, channels;
  std::string png;
};

/// `wall_time`: seconds since 1970; `step`: an iteration.
std::string version_event(double wall_time);
/// What was written of this step and later ones is void.
std::string restart_event(double wall_time, std::int64_t step);
std::string scalars_event(double wall_time, std::int64_t step, const std::vector<Scalar>& scalars);
std::string image_event(double wall_time, std::int64_t step, const std::string& tag,
                        const EncodedImage& image);
std::string text_event(double wall_time, std::int64_t step, const std::string& tag, const std::string& text);
/// What the page HPARAMS compares: keys with their values as TOML. Runs of one group are one row of it.
std::string hparams_start_event(double wall_time, const std::string& group,
                                const std::vector<std::pair<std::string, std::string>>& settings);
std::string hparams_end_event(double wall_time, bool failed);

}  // namespace halfling::tensorboard
