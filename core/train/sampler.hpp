// SPDX-License-Identifier: Apache-2.0
// The grid of generated images: one column per class, the same noise every time, so that two grids differ
// only by the training between them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "halfling/precision.hpp"
#include "run/png.hpp"

namespace halfling {

struct GridRequest {
  BatchSpec spec;                     ///< as in training; its batch does not matter
  std::vector<std::int32_t> columns;  ///< class of each column
  std::int64_t rows = 0;              ///< images per column
  std::uint64_t seed = 0;             ///< of the noise
  AverageSettings average;            ///< to draw with; none: with the parameters
};

/// What [average] and [sample] together say.
inline AverageSettings averages_to_draw_with(const Experiment& experiment) {
  return experiment.sample.averages ? experiment.average : AverageSettings{};
}

/// Draws with the states of the session, which it shares.
class Sampler {
 public:
  Sampler(Session& session, const Architecture& architecture, const PrecisionPolicy& policy,
          const GridRequest& request);

  Image draw();
  /// From the noise of the request's seed to that of the next one: a row for each of its columns' classes, as
  /// many steps as it has rows, at least 2.
  Image draw_interpolation();
  /// As many images as the grid has, of these classes, from the noise of this seed: N·C·H·W bytes.
  std::vector<std::uint8_t> images(std::span<const std::int32_t> labels, std::uint64_t seed);
  const Graph& graph() const { return graph_; }
  MemoryUse memory() const { return executable_->memory(); }

 private:
  /// Bytes of a noise input of this shape.
  using NoiseSource = std::function<std::vector<std::byte>(const Noise&, const Shape&)>;
  std::vector<std::uint8_t> images(std::span<const std::int32_t> labels, const NoiseSource& source);

  GridRequest request_;
  std::vector<Noise> noises_;
  Graph graph_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace halfling
