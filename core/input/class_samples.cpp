// SPDX-License-Identifier: Apache-2.0
#include "input/class_samples.hpp"

#include <algorithm>

#include "input/sample_order.hpp"

namespace halfling {
namespace {

/// In the data set's own order, which disks like best.
std::vector<std::int32_t> labels_of(const Dataset& dataset) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(dataset.sample_shape().elements()));
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < dataset.size(); ++i) labels.push_back(dataset.read(i, pixels));
  return labels;
}

}  // namespace

ClassSamples class_samples(const Dataset& dataset, const TransformChain& chain, std::uint64_t seed,
                           bool shuffle, int columns) {
  const std::vector<std::int32_t> labels = labels_of(dataset);
  ClassSamples result;
  result.counts.resize(dataset.classes().size());
  for (const std::int32_t label : labels) ++result.counts[static_cast<std::size_t>(label)];

  const std::size_t bytes = chain.output().bytes(), row = static_cast<std::size_t>(columns) * bytes;
  result.images.assign(result.counts.size() * row, 255);
  std::vector<std::byte> scratch(chain.scratch_bytes());
  std::vector<std::int64_t> shown(result.counts.size());
  std::int64_t missing = 0;
  for (const std::int64_t count : result.counts) missing += std::min<std::int64_t>(count, columns);
  const SampleOrder order(dataset.size(), seed, shuffle);
  for (std::int64_t position = 0; missing > 0; ++position) {
    const std::int64_t sample = order.at(0, position);
    const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(sample)]);
    if (shown[label] == columns) continue;
    const std::size_t begin = label * row + static_cast<std::size_t>(shown[label]++) * bytes;
    const auto to = std::as_writable_bytes(std::span(result.images).subspan(begin, bytes));
    const std::span<std::byte> read = chain.source(to, scratch);
    dataset.read(sample, {reinterpret_cast<std::uint8_t*>(read.data()), read.size()});
    chain.apply(to, scratch, {seed, 0, sample});
    --missing;
  }
  return result;
}

}  // namespace halfling
