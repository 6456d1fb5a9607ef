// SPDX-License-Identifier: Apache-2.0
#include "input/class_samples.hpp"

#include <algorithm>

namespace halfling {

ClassSamples class_samples(const Dataset& dataset, const TransformChain& chain, const OrderSettings& settings,
                           int columns) {
  const std::vector<std::int32_t> labels = labels_of(dataset, 1);  // in order, which disks like best
  ClassSamples result;
  result.counts.resize(dataset.classes().size());
  for (const std::int32_t label : labels) ++result.counts[static_cast<std::size_t>(label)];

  const std::size_t bytes = chain.output().bytes(), row = static_cast<std::size_t>(columns) * bytes;
  result.images.assign(result.counts.size() * row, 255);
  std::vector<std::byte> scratch(chain.scratch_bytes());
  std::vector<std::int64_t> shown(result.counts.size());
  std::int64_t missing = 0;
  for (const std::int64_t count : result.counts) missing += std::min<std::int64_t>(count, columns);
  const TrainingOrder order(labels, dataset.classes(), settings);
  for (std::int64_t position = 0; missing > 0; ++position) {
    const auto [sample, round] = order.at(0, position, 0);
    const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(sample)]);
    if (shown[label] == std::min<std::int64_t>(result.counts[label], columns)) continue;
    const std::size_t begin = label * row + static_cast<std::size_t>(shown[label]++) * bytes;
    const auto to = std::as_writable_bytes(std::span(result.images).subspan(begin, bytes));
    const std::span<std::byte> read = chain.source(to, scratch);
    dataset.read(sample, {reinterpret_cast<std::uint8_t*>(read.data()), read.size()});
    chain.apply(to, scratch, {settings.seed, round, sample});
    --missing;
  }
  return result;
}

}  // namespace halfling
