// SPDX-License-Identifier: Apache-2.0
#include "evaluate/generated_images.hpp"

#include <algorithm>

#include "halfling/error.hpp"
#include "iteration/iteration.hpp"
#include "run/checkpoint.hpp"
#include "train/sampler.hpp"

namespace halfling {
namespace {

constexpr std::int64_t batch = 100;       ///< images drawn together
constexpr std::uint64_t seed = 1u << 30;  ///< of the first batch; each has one of its own

}  // namespace

GeneratedImages::GeneratedImages(const Experiment& experiment, const Registry& registry,
                                 std::filesystem::path checkpoint)
    : platform_(make_platform(experiment, registry)),
      checkpoint_(std::move(checkpoint)),
      label_(read_label(checkpoint_)) {
  if (has_generator(*platform_.architecture, label_.spec)) return;
  throw Error({.what = "the architecture has no generator, so there are no images to measure",
               .where = "architecture.use",
               .got = experiment.architecture.use,
               .expected = "a GAN",
               .hint = {},
               .kind = ErrorKind::usage});
}

bool GeneratedImages::conditional() const {
  const Graph graph = platform_.architecture->sampling(label_.spec);
  return std::ranges::find(graph.inputs(), "labels", &Port::name) != graph.inputs().end();
}

quality::Images GeneratedImages::draw(std::span<const std::int32_t> labels, const AverageSettings& average) {
  const std::unique_ptr<Session> session = platform_.backend->open(platform_.device_index);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(batch));
  Sampler sampler(*session, *platform_.architecture, *platform_.policy,
                  {label_.spec, columns, 1, seed, average});
  load_states(checkpoint_, sampler.graph().states(), *session);
  quality::Images images{label_.spec.image, {}, {labels.begin(), labels.end()}};
  for (std::size_t first = 0; first < labels.size(); first += columns.size()) {
    const auto part = labels.subspan(first, std::min(columns.size(), labels.size() - first));
    std::ranges::copy(part, columns.begin());
    const std::vector<std::uint8_t> pixels = sampler.images(columns, seed + first);
    const auto wanted = part.size() * static_cast<std::size_t>(images.image.elements());
    images.pixels.insert(images.pixels.end(), pixels.begin(),
                         pixels.begin() + static_cast<std::ptrdiff_t>(wanted));
  }
  return images;
}

}  // namespace halfling
