// SPDX-License-Identifier: Apache-2.0
#include "evaluate/classifier_extractor.hpp"

#include <algorithm>

#include "base/content_hash.hpp"
#include "halfling/error.hpp"
#include "iteration/host_value.hpp"
#include "iteration/iteration.hpp"

namespace halfling {
namespace {

constexpr std::int64_t batch = 128;  ///< images looked at together

std::string hash_of(const std::vector<State>& states, const Session& session) {
  ContentHash hash;
  for (const State& state : states) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.shape.elements()) * size_of(state.dtype));
    session.read_state(state.name, bytes);
    hash.add(state.name);
    hash.add(bytes);
  }
  return hash.text();
}

}  // namespace

ClassifierExtractor::ClassifierExtractor(const Experiment& trial, const Registry& registry,
                                         const BatchSpec& spec, const LoadStates& load)
    : platform_(make_platform(trial, registry)),
      spec_{batch, spec.image, spec.classes, spec.values},
      session_(platform_.backend->open(platform_.device_index)),
      graph_(build_classification(*platform_.architecture, *platform_.policy, spec_)),
      executable_(session_->compile(graph_)) {
  load(graph_.states(), *session_);
  name_ = "classifier-" + hash_of(graph_.states(), *session_);
}

quality::Extracted ClassifierExtractor::extract(const quality::Images& images) {
  if (images.image != spec_.image)
    throw Error({.what = "the classifier knows no images of this shape",
                 .got = images.image.text(),
                 .expected = spec_.image.text()});
  quality::Extracted result;
  for (std::int64_t first = 0; first < images.count(); first += batch) run(images, first, result);
  return result;
}

/// The last batch is filled up with black images, which are then left out.
void ClassifierExtractor::run(const quality::Images& images, std::int64_t first, quality::Extracted& result) {
  const auto bytes = static_cast<std::size_t>(spec_.image.elements());
  const auto count = static_cast<std::size_t>(std::min(batch, images.count() - first));
  std::vector<float> input(static_cast<std::size_t>(batch) * bytes);
  const auto pixels =
      std::span(images.pixels).subspan(static_cast<std::size_t>(first) * bytes, count * bytes);
  std::ranges::transform(pixels, input.begin(), [](std::uint8_t p) { return static_cast<float>(p) / 255; });
  executable_->write("images", std::as_bytes(std::span(input)));
  executable_->run();
  const std::vector<double> features = read_numbers(*executable_, graph_, "features");
  const std::vector<double> logits = read_numbers(*executable_, graph_, "logits");
  const std::size_t width = features.size() / static_cast<std::size_t>(batch);
  result.features.width = static_cast<std::int64_t>(width);
  result.features.count += static_cast<std::int64_t>(count);
  result.features.values.insert(result.features.values.end(), features.begin(),
                                features.begin() + static_cast<std::ptrdiff_t>(count * width));
  const auto classes = static_cast<std::size_t>(spec_.classes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = std::span(logits).subspan(i * classes, classes);
    result.classes.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
  }
}

}  // namespace halfling
