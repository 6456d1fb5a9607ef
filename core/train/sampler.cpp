// SPDX-License-Identifier: Apache-2.0
#include "train/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "iteration/average.hpp"
#include "iteration/host_value.hpp"
#include "iteration/iteration.hpp"
#include "iteration/noise.hpp"

namespace halfling {
namespace {

std::int64_t image_count(const GridRequest& request) {
  return request.rows * static_cast<std::int64_t>(request.columns.size());
}

/// Row by row, as grid() lays them out.
std::vector<std::int32_t> grid_labels(const GridRequest& request) {
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < request.rows; ++i)
    labels.insert(labels.end(), request.columns.begin(), request.columns.end());
  return labels;
}

/// [0, 1] to 0..255; a NaN is black.
std::uint8_t pixel(double value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isnan(value) ? 0 : value, 0.0, 1.0)));
}

Graph sampling_graph(const Architecture& architecture, const PrecisionPolicy& policy,
                     const GridRequest& request) {
  BatchSpec spec = request.spec;
  spec.batch = image_count(request);
  Graph graph = build_sampling(architecture, policy, spec);
  if (!request.average.active()) return graph;
  return with_averages(graph, averaged_states(graph, request.average));
}

}  // namespace

Sampler::Sampler(Session& session, const Architecture& architecture, const PrecisionPolicy& policy,
                 const GridRequest& request)
    : request_(request),
      noises_(architecture.noises()),
      graph_(sampling_graph(architecture, policy, request)),
      executable_(session.compile(graph_)) {}

std::vector<std::uint8_t> Sampler::images(std::span<const std::int32_t> labels, const NoiseSource& source) {
  for (const Port& port : graph_.inputs()) {
    const auto noise = std::ranges::find(noises_, port.name, &Noise::name);
    if (noise == noises_.end())
      executable_->write(port.name, std::as_bytes(labels));
    else
      executable_->write(port.name, source(*noise, graph_.value(port.value).shape));
  }
  executable_->run();
  const std::vector<double> values = read_numbers(*executable_, graph_, "samples");
  std::vector<std::uint8_t> pixels(values.size());
  std::ranges::transform(values, pixels.begin(), pixel);
  return pixels;
}

std::vector<std::uint8_t> Sampler::images(std::span<const std::int32_t> labels, std::uint64_t seed) {
  return images(labels, [&](const Noise& noise, const Shape& shape) {
    return fixed_noise(noise, shape, request_.spec.classes, seed);
  });
}

Image Sampler::draw_interpolation() {
  const auto steps = static_cast<std::size_t>(request_.rows);
  std::vector<std::int32_t> labels;
  for (const std::int32_t label : request_.columns) labels.insert(labels.end(), steps, label);
  const auto pixels = images(labels, [&](const Noise& noise, const Shape& shape) {
    return interpolated_noise(noise, shape, request_.spec.classes, request_.seed, request_.rows);
  });
  return grid(pixels, request_.spec.image, static_cast<int>(steps));
}

Image Sampler::draw() {
  return grid(images(grid_labels(request_), request_.seed), request_.spec.image,
              static_cast<int>(request_.columns.size()));
}

}  // namespace halfling
