// SPDX-License-Identifier: Apache-2.0
#include "uploads.hpp"

#include <cstring>

#include "shape_kernels.hpp"

namespace halfling::cudnn {

Upload::Upload(const program::Slot& slot, std::byte* to)
    : logical_(slot.logical), element_(size_of(slot.dtype)), bytes_(program::bytes_of(slot)), to_(to) {
  for (Buffer& buffer : buffers_)
    buffer = {PinnedBuffer(bytes_), DeviceBuffer(bytes_), make_event(), make_event()};
}

void Upload::write(cudaStream_t uploads, std::span<const std::byte> data) {
  turn_ = 1 - turn_;
  Buffer& buffer = buffers_[turn_];
  check(cudaEventSynchronize(buffer.uploaded.get()), "cudaEventSynchronize");
  std::memcpy(buffer.host.data(), data.data(), bytes_);
  check(cudaStreamWaitEvent(uploads, buffer.consumed.get(), 0), "cudaStreamWaitEvent");
  check(cudaMemcpyAsync(buffer.device.data(), buffer.host.data(), bytes_, cudaMemcpyHostToDevice, uploads),
        "cudaMemcpyAsync");
  check(cudaEventRecord(buffer.uploaded.get(), uploads), "cudaEventRecord");
  pending_ = true;
}

void Upload::consume(cudaStream_t compute) {
  if (!pending_) return;
  pending_ = false;
  Buffer& buffer = buffers_[turn_];
  check(cudaStreamWaitEvent(compute, buffer.uploaded.get(), 0), "cudaStreamWaitEvent");
  if (program::is_permuted(logical_))
    launch_transpose(
        compute, {logical_[0], logical_[1], logical_[2] * logical_[3], element_, buffer.device.data(), to_});
  else
    check(cudaMemcpyAsync(to_, buffer.device.data(), bytes_, cudaMemcpyDeviceToDevice, compute),
          "cudaMemcpyAsync");
  check(cudaEventRecord(buffer.consumed.get(), compute), "cudaEventRecord");
}

}  // namespace halfling::cudnn
