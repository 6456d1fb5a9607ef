// SPDX-License-Identifier: Apache-2.0
#include "input/batch_source.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "halfling/error.hpp"
#include "input/training_order.hpp"

namespace halfling {

namespace {

/// The memory of one batch; it takes batch i, i + slots, i + 2·slots, …
struct Slot {
  std::vector<std::uint8_t> images;
  std::vector<std::int32_t> labels;
  std::vector<std::byte> scratch;  // of the transforms
  Batch batch;
  bool ready = false;  // guarded by Impl::mutex; while false, the rest belongs to the task that fills it
  std::exception_ptr error;
};

void require_at_least_one(std::int64_t value, const char* key) {
  if (value >= 1) return;
  throw Error({.what = "a setting of the input is out of range",
               .where = key,
               .got = std::to_string(value),
               .expected = "at least 1",
               .kind = ErrorKind::usage});
}

BatchSettings checked(const Dataset& dataset, const BatchSettings& settings) {
  require_at_least_one(settings.batch_size, "input.batch_size");
  require_at_least_one(settings.prefetch, "input.prefetch");
  require_at_least_one(settings.workers, "input.workers");
  if (dataset.size() < settings.batch_size * settings.world.size) {
    throw Error({.what = "a batch is larger than the data set",
                 .where = "input.batch_size",
                 .got = std::to_string(settings.batch_size) + " samples a batch",
                 .expected = "at most " + std::to_string(dataset.size()) + ", the data set's size",
                 .hint = "lower input.batch_size, or give the data set more samples",
                 .kind = ErrorKind::usage});
  }
  return settings;
}

}  // namespace

struct BatchSource::Impl {
  Impl(const Dataset& data, const BatchSettings& given, std::vector<NamedTransform> transforms);
  ~Impl() { drain(); }

  void start(std::int64_t index);
  void schedule(std::int64_t index);
  void drain();
  void fill(Slot& slot);
  void read_samples(Slot& slot, std::int64_t epoch, std::int64_t index) const;
  Slot& slot_of(std::int64_t index) { return slots[static_cast<std::size_t>(index) % slots.size()]; }

  const Dataset& dataset;
  const BatchSettings settings;
  const TrainingOrder order;
  const TransformChain chain;
  const std::size_t sample_bytes;
  const std::int64_t per_epoch;
  std::vector<Slot> slots;

  std::mutex mutex;
  std::condition_variable changed;
  int pending = 0;  // tasks that have not ended; guarded by mutex
  std::atomic<bool> cancelled = false;

  std::int64_t upcoming = 0;  // the batch that next() gives
  bool holding = false;       // the caller has batch upcoming - 1
  InputWaits waits;

  // Raises TBB's limit where more readers are asked for than there are processors; the calling thread counts.
  tbb::global_control parallelism;
  tbb::task_arena arena;
};

namespace {

/// Not inlined, so that ThreadSanitizer's suppressions can name the one function that reads what TBB handed
/// over.
struct FillTask {
  void (*run)(void*, Slot&);
  void* owner;
  Slot* slot;
  __attribute__((noinline)) void operator()() const { run(owner, *slot); }
};

}  // namespace

BatchSource::Impl::Impl(const Dataset& data, const BatchSettings& given,
                        std::vector<NamedTransform> transforms)
    : dataset(data),
      settings(checked(data, given)),
      order(training_order(data, {given.seed, given.shuffle, given.balance}, given.workers)),
      chain({.shape = data.sample_shape()}, std::move(transforms)),
      sample_bytes(chain.output().bytes()),
      per_epoch(data.size() / (given.batch_size * given.world.size)),
      slots(static_cast<std::size_t>(given.prefetch) + 1),
      parallelism(tbb::global_control::max_allowed_parallelism,
                  static_cast<std::size_t>(std::max(given.workers + 1, tbb::info::default_concurrency()))),
      arena(given.workers, 0) {
  const auto samples = static_cast<std::size_t>(settings.batch_size);
  for (Slot& slot : slots) {
    slot.images.resize(samples * sample_bytes);
    slot.labels.resize(samples);
    slot.scratch.resize(chain.scratch_bytes());
    slot.batch.images = slot.images;
    slot.batch.labels = slot.labels;
  }
  start(0);
}

void BatchSource::Impl::start(std::int64_t index) {
  upcoming = index;
  holding = false;
  for (std::size_t i = 0; i < slots.size(); ++i) schedule(index + static_cast<std::int64_t>(i));
}

void BatchSource::Impl::schedule(std::int64_t index) {
  Slot& slot = slot_of(index);
  {
    const std::lock_guard lock(mutex);
    slot.batch.index = index;
    slot.batch.epoch = index / per_epoch;
    slot.ready = false;
    slot.error = nullptr;
    ++pending;
  }
  arena.enqueue(FillTask{[](void* owner, Slot& s) { static_cast<Impl*>(owner)->fill(s); }, this, &slot});
}

void BatchSource::Impl::drain() {
  cancelled = true;
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return pending == 0; });
  cancelled = false;
}

void BatchSource::Impl::fill(Slot& slot) {
  std::unique_lock lock(mutex);
  const std::int64_t epoch = slot.batch.epoch, index = slot.batch.index;
  lock.unlock();
  std::exception_ptr error;
  try {
    read_samples(slot, epoch, index);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  slot.error = error;
  slot.ready = true;
  --pending;
  changed.notify_all();  // under the lock: once it is free, the owner may be gone
}

void BatchSource::Impl::read_samples(Slot& slot, std::int64_t epoch, std::int64_t index) const {
  const World world = settings.world;
  const std::int64_t epoch_length = per_epoch * world.size * settings.batch_size;
  const std::int64_t first = (index % per_epoch * world.size + world.rank) * settings.batch_size;
  for (std::int64_t i = 0; i < settings.batch_size && !cancelled; ++i) {
    const auto [sample, round] = order.at(epoch, first + i, epoch_length);
    const auto place = static_cast<std::size_t>(i);
    const auto to =
        std::as_writable_bytes(std::span(slot.images).subspan(place * sample_bytes, sample_bytes));
    const std::span<std::byte> read = chain.source(to, slot.scratch);
    slot.labels[place] = dataset.read(sample, {reinterpret_cast<std::uint8_t*>(read.data()), read.size()});
    chain.apply(to, slot.scratch, {settings.seed, round, sample});
  }
}

BatchSource::BatchSource(const Dataset& dataset, const BatchSettings& settings,
                         std::vector<NamedTransform> transforms)
    : impl_(std::make_unique<Impl>(dataset, settings, std::move(transforms))) {}

BatchSource::~BatchSource() = default;

const Batch& BatchSource::next() {
  Impl& impl = *impl_;
  if (impl.holding) {
    impl.holding = false;
    impl.schedule(impl.upcoming - 1 + static_cast<std::int64_t>(impl.slots.size()));
  }
  Slot& slot = impl.slot_of(impl.upcoming);
  std::unique_lock lock(impl.mutex);
  ++impl.waits.calls;
  if (!slot.ready) {
    const auto began = std::chrono::steady_clock::now();
    impl.changed.wait(lock, [&slot] { return slot.ready; });
    ++impl.waits.waits;
    impl.waits.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  if (slot.error) std::rethrow_exception(slot.error);
  impl.holding = true;
  ++impl.upcoming;
  return slot.batch;
}

void BatchSource::seek(std::int64_t index) {
  impl_->drain();
  impl_->start(index);
}

const Shape& BatchSource::sample_shape() const {
  return impl_->chain.output().shape;
}

std::int64_t BatchSource::batches_per_epoch() const {
  return impl_->per_epoch;
}

const InputWaits& BatchSource::waits() const {
  return impl_->waits;
}

}  // namespace halfling
