// SPDX-License-Identifier: Apache-2.0
#include "input/training_order.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "halfling/error.hpp"
#include "halfling/random.hpp"

namespace halfling {
namespace {

/// Classes of one size must not be shuffled alike.
std::uint64_t seed_of_class(std::uint64_t seed, std::size_t label) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  const PhiloxWords words =
      philox({static_cast<std::uint32_t>(label), stream_of("input.balance"), 0, 0}, {low, high});
  return (std::uint64_t{words[0]} << 32) | words[1];
}

[[noreturn]] void fail_empty(const std::string& name, std::size_t samples) {
  throw Error(
      {.what = "a class has no sample to train with, so that classes cannot be balanced",
       .where = "input.balance",
       .got = "none of " + std::to_string(samples) + " samples is of class \"" + name + "\"",
       .expected = "at least one sample of each class",
       .hint = "leave input.balance out, lower dataset.holdout where it is given, or leave the class out",
       .kind = ErrorKind::usage});
}

}  // namespace

std::vector<std::int32_t> labels_of(const Dataset& dataset, int workers) {
  using Range = tbb::blocked_range<std::int64_t>;
  std::vector<std::int32_t> labels(static_cast<std::size_t>(dataset.size()));
  const auto bytes = static_cast<std::size_t>(dataset.sample_shape().elements());
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(Range(0, dataset.size(), 256), [&](const Range& range) {
      std::vector<std::uint8_t> pixels(bytes);
      for (std::int64_t i = range.begin(); i < range.end(); ++i)
        labels[static_cast<std::size_t>(i)] = dataset.read(i, pixels);
    });
  });
  return labels;
}

TrainingOrder::TrainingOrder(std::int64_t size, const OrderSettings& settings)
    : order_(size, settings.seed, settings.shuffle) {}

TrainingOrder::TrainingOrder(const std::vector<std::int32_t>& labels, const std::vector<std::string>& classes,
                             const OrderSettings& settings)
    : order_(static_cast<std::int64_t>(settings.balance ? classes.size() : labels.size()), settings.seed,
             settings.shuffle) {
  if (!settings.balance) return;
  std::vector<std::vector<std::int64_t>> samples(classes.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    samples[static_cast<std::size_t>(labels[i])].push_back(static_cast<std::int64_t>(i));
  for (std::size_t label = 0; label < classes.size(); ++label) {
    if (samples[label].empty()) fail_empty(classes[label], labels.size());
    const auto size = static_cast<std::int64_t>(samples[label].size());
    classes_.push_back({std::move(samples[label]),
                        SampleOrder(size, seed_of_class(settings.seed, label), settings.shuffle)});
  }
}

Visit TrainingOrder::at(std::int64_t epoch, std::int64_t position, std::int64_t epoch_length) const {
  if (classes_.empty()) return {order_.at(epoch, position), epoch};
  const auto count = static_cast<std::int64_t>(classes_.size());
  const std::int64_t place = epoch * epoch_length + position;
  const std::int64_t turn = place / count;  // of each class
  const Class& chosen = classes_[static_cast<std::size_t>(order_.at(turn, place % count))];
  const auto size = static_cast<std::int64_t>(chosen.samples.size());
  const std::int64_t round = turn / size;
  return {chosen.samples[static_cast<std::size_t>(chosen.order.at(round, turn % size))], round};
}

TrainingOrder training_order(const Dataset& dataset, const OrderSettings& settings, int workers) {
  if (!settings.balance) return {dataset.size(), settings};
  return {labels_of(dataset, workers), dataset.classes(), settings};
}

}  // namespace halfling
