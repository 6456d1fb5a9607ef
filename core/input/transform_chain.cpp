// SPDX-License-Identifier: Apache-2.0
#include "input/transform_chain.hpp"

#include <algorithm>

#include "experiment/located.hpp"
#include "plugin/registry.hpp"

namespace halfling {
namespace {

SampleFormat output_of(const NamedTransform& element, const SampleFormat& input) {
  return config::within_element(Transform::kind, element.name,
                                [&] { return element.transform->output(input); });
}

}  // namespace

std::vector<NamedTransform> make_transforms(const Experiment& experiment, const Registry& registry) {
  std::vector<NamedTransform> transforms;
  for (const NamedChoice& element : experiment.transforms)
    transforms.push_back({element.name, config::within_element(Transform::kind, element.name, [&] {
                            return registry.create<Transform>(element.use, element.options);
                          })});
  return transforms;
}

TransformChain::TransformChain(const SampleFormat& input, std::vector<NamedTransform> transforms)
    : transforms_(std::move(transforms)), formats_{input} {
  for (const NamedTransform& element : transforms_) {
    largest_ = std::max(largest_, formats_.back().bytes());
    SampleFormat made = output_of(element, formats_.back());
    if (!made.values) made.values = formats_.back().values;
    formats_.push_back(std::move(made));
    streams_.push_back(stream_of("transform." + element.name));
  }
}

std::span<std::byte> TransformChain::source(std::span<std::byte> to, std::span<std::byte> scratch) const {
  return empty() ? to : scratch.first(formats_.front().bytes());
}

void TransformChain::apply(std::span<std::byte> to, std::span<std::byte> scratch, const Draw& draw) const {
  std::span<std::byte> from = source(to, scratch);
  for (std::size_t i = 0; i < transforms_.size(); ++i) {
    const bool last = i + 1 == transforms_.size();
    const std::span<std::byte> other_half = i % 2 == 0 ? scratch.subspan(largest_) : scratch.first(largest_);
    const std::span<std::byte> made = last ? to : other_half.first(formats_[i + 1].bytes());
    SampleRandom random(draw.seed, streams_[i], draw.epoch, draw.sample);
    transforms_[i].transform->apply(formats_[i], from, made, random);
    from = made;
  }
}

}  // namespace halfling
