// SPDX-License-Identifier: Apache-2.0
// Outputs on their way to the host. Small ones (losses, counters) of a run are packed on the device and
// copied to pinned memory while the next run computes; of the last two runs they are kept. Large ones are
// copied when they are read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "device_buffer.hpp"
#include "program/compile.hpp"

namespace halfling::cudnn {

class Outputs {
 public:
  Outputs(const program::Compiled& compiled, const std::vector<std::byte*>& addresses);
  /// Queues the packing: the last step of a run, captured with it.
  void pack(cudaStream_t stream);
  /// Queues the copy to the host: after each run.
  void fetch(cudaStream_t stream);
  /// Copies the output of a run, 0 or 1 runs ago, in logical order. Waits for that run.
  void read(cudaStream_t stream, std::string_view name, std::span<std::byte> data, int ago) const;
  /// Fills what was packed and copied with NaN. Nothing may be queued.
  void spoil();
  std::size_t device_bytes() const { return pieces_.size() + packed_.size(); }

 private:
  struct Output {
    std::string name;
    program::Slot slot;
    const std::byte* from;
    std::int64_t offset;  ///< in the pack; -1: large
  };
  struct Kept {
    PinnedBuffer memory;
    Event done;
  };
  const Output& find(std::string_view name) const;

  std::vector<Output> outputs_;
  DeviceBuffer pieces_, packed_;
  int count_ = 0;
  Kept kept_[2];
  int turn_ = 0;
};

}  // namespace halfling::cudnn
