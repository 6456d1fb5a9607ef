// SPDX-License-Identifier: Apache-2.0
// A data set's samples, transformed, as an endless sequence of batches, read ahead by oneTBB tasks in an
// arena of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/world.hpp"
#include "halfling/dataset.hpp"
#include "input/transform_chain.hpp"

namespace halfling {

struct BatchSettings {
  std::int64_t batch_size = 64;
  std::uint64_t seed = 0;
  bool shuffle = true;   ///< a new order in every epoch; false: the data set's own order
  bool balance = false;  ///< every class equally often, see TrainingOrder
  int prefetch = 4;      ///< most batches read ahead of the one in use, at least 1
  int workers = 1;       ///< reading threads, at least 1
  World world = {};      ///< each process has its own part of a batch of batch_size samples for each of them
};

/// One batch. Valid until the next call of next() or seek(), or the source's end.
struct Batch {
  std::span<const std::uint8_t> images;  ///< N·C·H·W bytes in N, C, H, W order
  std::span<const std::int32_t> labels;  ///< N indices of Dataset::classes()
  std::int64_t epoch = 0;                ///< from 0
  std::int64_t index = 0;                ///< batches before this one since the very first
};

/// How often and for how long the consumer found no batch ready.
struct InputWaits {
  std::int64_t calls = 0;  ///< of next()
  std::int64_t waits = 0;  ///< calls that had to wait
  double seconds = 0;      ///< waited in all
};

/// Batch i holds the same samples whatever the number of workers and the prefetch depth: its state is only i.
/// What a transform draws for a sample depends on seed, epoch and the sample only.
/// An epoch visits each sample at most once and leaves out the last, incomplete batch. Balanced, it has as
/// many batches, and the next one goes on where it ended. Batches i of all processes are, one after the
/// other, batch i of one process whose batches are as large as theirs together.
///
/// All memory of the batches (prefetch + 1 of them) is taken in the constructor. One thread uses a source;
/// the data set must outlive it and is read from `workers` other threads.
class BatchSource {
 public:
  /// Begins to read batch 0; a balanced source reads all samples before that, for their labels. Throws Error
  /// (usage) where a setting is out of range, the data set has fewer samples than a batch, a balanced one has
  /// a class without samples, or a transform does not take its samples.
  BatchSource(const Dataset& dataset, const BatchSettings& settings,
              std::vector<NamedTransform> transforms = {});
  ~BatchSource();

  /// The next batch. Throws what the data set threw while that batch was read, and throws it again when
  /// called again.
  const Batch& next();
  /// The next call of next() gives batch `index`: how a resumed run continues. Drops what was read ahead.
  void seek(std::int64_t index);

  /// Of the samples in a batch: {C, H, W} after the transforms.
  const Shape& sample_shape() const;
  std::int64_t batches_per_epoch() const;
  const InputWaits& waits() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halfling
