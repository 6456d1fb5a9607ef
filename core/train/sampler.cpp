// SPDX-License-Identifier: Apache-2.0
#include "train/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "halfling/random.hpp"
#include "train/host_value.hpp"
#include "train/iteration.hpp"

namespace halfling {
namespace {

std::int64_t images(const GridRequest& request) {
  return request.rows * static_cast<std::int64_t>(request.columns.size());
}

/// Row by row, as grid() lays them out.
std::vector<std::int32_t> grid_labels(const GridRequest& request) {
  std::vector<std::int32_t> labels;
  for (std::int64_t row = 0; row < request.rows; ++row)
    labels.insert(labels.end(), request.columns.begin(), request.columns.end());
  return labels;
}

std::vector<float> fixed_noise(const Noise& noise, const Shape& shape, std::uint64_t seed) {
  const PhiloxWords state{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::uint32_t i = 0; i < values.size(); ++i)
    values[i] = uniform_element(random_word(state, stream_of(noise.name), i), noise.low, noise.high);
  return values;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// [0, 1] to 0..255; a NaN is black.
std::uint8_t pixel(double value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isnan(value) ? 0 : value, 0.0, 1.0)));
}

}  // namespace

Sampler::Sampler(Session& session, const Architecture& architecture, const PrecisionPolicy& policy,
                 const GridRequest& request)
    : request_(request),
      graph_(build_sampling(architecture, policy, {images(request), request.image, request.classes})),
      executable_(session.compile(graph_)) {
  const std::vector<Noise> noises = architecture.noises();
  for (const Port& port : graph_.inputs()) {
    const auto noise = std::ranges::find(noises, port.name, &Noise::name);
    const Shape& shape = graph_.value(port.value).shape;
    inputs_.push_back({port.name, noise == noises.end()
                                      ? bytes_of(grid_labels(request))
                                      : bytes_of(fixed_noise(*noise, shape, request.seed))});
  }
}

Image Sampler::draw() {
  for (const Input& input : inputs_) executable_->write(input.name, input.bytes);
  executable_->run();
  const std::vector<double> values = read_numbers(*executable_, graph_, "samples");
  std::vector<std::uint8_t> pixels(values.size());
  std::ranges::transform(values, pixels.begin(), pixel);
  return grid(pixels, request_.image, static_cast<int>(request_.columns.size()));
}

}  // namespace halfling
