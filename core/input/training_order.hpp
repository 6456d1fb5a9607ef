// SPDX-License-Identifier: Apache-2.0
// Which sample comes when in training.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/dataset.hpp"
#include "input/sample_order.hpp"

namespace halfling {

struct OrderSettings {
  std::uint64_t seed = 0;
  bool shuffle = true;   ///< false: the data set's own order
  bool balance = false;  ///< every class equally often
};

/// One sample's turn.
struct Visit {
  std::int64_t sample = 0;  ///< index in the data set
  /// Tells the visits of a sample apart, for what transforms draw: the epoch; balanced, how often the sample
  /// came before.
  std::int64_t round = 0;
};

/// The labels of all samples, which are read for it, by `workers` threads (at least 1).
std::vector<std::int32_t> labels_of(const Dataset& dataset, int workers);

/// Immutable once made, and thread-safe.
///
/// Not balanced, an epoch is a permutation of the samples. Balanced, the places are counted through all
/// epochs, and among every C of them that follow each other, from the first on, each of the C classes is
/// once, in another order each time: at any time no class has come more than once more than another. Of a
/// class no sample comes again before all have come, and then in another order.
class TrainingOrder {
 public:
  /// `labels` of the samples, for a balanced order: 8 bytes are kept of each. Throws Error (usage) where one
  /// of `classes` has no sample then.
  TrainingOrder(const std::vector<std::int32_t>& labels, const std::vector<std::string>& classes,
                const OrderSettings& settings);
  /// Not balanced.
  TrainingOrder(std::int64_t size, const OrderSettings& settings);

  /// The place `position` of an epoch; balanced, all epochs are `epoch_length` places long.
  Visit at(std::int64_t epoch, std::int64_t position, std::int64_t epoch_length) const;

 private:
  struct Class {
    std::vector<std::int64_t> samples;
    SampleOrder order;
  };

  SampleOrder order_;  ///< of the samples; balanced, of the classes
  std::vector<Class> classes_;
};

/// What `settings` ask for; a balanced order reads the data set once, by `workers` threads. Throws as the
/// constructor does, and what the data set throws.
TrainingOrder training_order(const Dataset& dataset, const OrderSettings& settings, int workers);

}  // namespace halfling
