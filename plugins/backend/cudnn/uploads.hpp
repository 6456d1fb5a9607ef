// SPDX-License-Identifier: Apache-2.0
// An input on its way to the device: through pinned memory, on a stream of its own, into one of two buffers,
// so that a batch travels while the iteration before it computes.
#pragma once

#include <span>

#include "device_buffer.hpp"
#include "program/program.hpp"

namespace halfling::cudnn {

class Upload {
 public:
  /// For the input in `slot`, which lies at `to`.
  Upload(const program::Slot& slot, std::byte* to);
  /// Starts to copy a whole input, in logical order. Waits only where the input of two runs ago still
  /// travels.
  void write(cudaStream_t uploads, std::span<const std::byte> data);
  /// Puts what was written last into its place, in the order of `compute`.
  void consume(cudaStream_t compute);
  std::size_t device_bytes() const { return 2 * bytes_; }

 private:
  struct Buffer {
    PinnedBuffer host;
    DeviceBuffer device;
    Event uploaded, consumed;
  };
  Shape logical_;
  std::size_t element_, bytes_;
  std::byte* to_;
  Buffer buffers_[2];
  int turn_ = 0;
  bool pending_ = false;
};

}  // namespace halfling::cudnn
