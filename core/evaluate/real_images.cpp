// SPDX-License-Identifier: Apache-2.0
#include "evaluate/real_images.hpp"

#include <algorithm>

#include "base/content_hash.hpp"

namespace halfling {
namespace {

constexpr std::int64_t most_hashed = 1 << 16;  ///< images

quality::Images read(const Dataset& data, const TransformChain& chain, std::int64_t count) {
  const SampleSplit chosen(data.size(), std::min(count, data.size()));
  const std::size_t bytes = chain.output().bytes();
  quality::Images images{.image = chain.output().shape};
  images.pixels.resize(static_cast<std::size_t>(chosen.picked()) * bytes);
  std::vector<std::byte> scratch(chain.scratch_bytes());
  for (std::int64_t i = 0; i < chosen.picked(); ++i) {
    const auto to =
        std::as_writable_bytes(std::span(images.pixels).subspan(static_cast<std::size_t>(i) * bytes, bytes));
    const std::span<std::byte> source = chain.source(to, scratch);
    const std::int64_t sample = chosen.picked_at(i);
    images.labels.push_back(
        data.read(sample, {reinterpret_cast<std::uint8_t*>(source.data()), source.size()}));
    chain.apply(to, scratch, {.sample = sample});
  }
  return images;
}

}  // namespace

RealImages::RealImages(const Experiment& experiment, const Registry& registry)
    : whole_(registry.create<Dataset>(experiment.dataset.use, experiment.dataset.options)),
      split_(holdout_split(whole_->size(), experiment.dataset.holdout)),
      training_(whole_, split_, Part::training),
      held_out_(whole_, split_, Part::held_out),
      chain_({.shape = whole_->sample_shape()}, make_transforms(experiment, registry)) {}

quality::Images RealImages::take(Part part, std::int64_t count) const {
  return read(of(part), chain_, count);
}

std::string RealImages::content() const {
  const TransformChain as_they_are({.shape = whole_->sample_shape()});
  const quality::Images images = read(*whole_, as_they_are, most_hashed);
  ContentHash hash;
  hash.add(std::to_string(whole_->size()) + " " + images.image.text() + "\n");
  for (const std::string& name : whole_->classes()) hash.add(name + "\n");
  hash.add(std::as_bytes(std::span(images.labels)));
  hash.add(std::as_bytes(std::span(images.pixels)));
  return hash.text();
}

}  // namespace halfling
