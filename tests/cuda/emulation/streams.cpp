// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include "errors.hpp"
#include "handles.hpp"
#include "memory.hpp"

namespace emulation {
namespace {

Handles<CUstream_st> streams;
CUstream_st default_stream;

}  // namespace

CUstream_st* find_stream(cudaStream_t handle) {
  if (handle == nullptr) return &default_stream;
  return streams.contains(handle) ? handle : nullptr;
}

bool is_capturing(const CUstream_st& stream) {
  return stream.capture != nullptr;
}

void enqueue(CUstream_st& stream, Work work) {
  if (stream.capture)
    stream.capture->nodes.push_back(std::move(work));
  else
    stream.queue.push_back({std::move(work)});
}

void enqueue_wait(CUstream_st& stream, std::shared_ptr<const Mark> mark) {
  stream.queue.push_back({[] {}, std::move(mark)});
}

void advance(CUstream_st& stream) {
  if (stream.queue.empty()) return;
  const Queued next = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (next.after) finish(*next.after);
  const DeviceAccess access;
  next.work();
}

void finish(CUstream_st& stream) {
  const DeviceAccess access;
  while (!stream.queue.empty()) advance(stream);
}

void finish_what_can_run(CUstream_st& stream) {
  const auto can_run = [](const Queued& next) { return !next.after || next.after->reached; };
  while (!stream.queue.empty() && can_run(stream.queue.front())) advance(stream);
}

void finish(const Mark& mark) {
  while (!mark.reached) advance(*mark.stream);
}

void finish_all_streams() {
  finish(default_stream);
  for (CUstream_st* stream : streams.all()) finish(*stream);
}

cudaError_t refuse_while_capturing(CUstream_st& stream, cudaError_t status) {
  if (!stream.capture) return cudaSuccess;
  stream.capture->valid = false;
  return status;
}

cudaError_t refuse_while_capturing() {
  cudaError_t status = cudaSuccess;
  for (CUstream_st* stream : streams.all()) {
    if (!stream->capture || stream->capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = stream->capture->thread == std::this_thread::get_id();
    if (!own && stream->capture->mode == cudaStreamCaptureModeThreadLocal) continue;
    status = refuse_while_capturing(*stream);
  }
  return status;
}

}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  // Streams that wait for the default stream are not emulated.
  if (flags != cudaStreamNonBlocking) return report(cudaErrorNotSupported);
  *stream = streams.add(new CUstream_st);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!streams.contains(stream)) return report(cudaErrorInvalidResourceHandle);
  finish(*stream);  // a destroyed stream still does its work
  streams.remove(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t status = refuse_while_capturing(*stream); status != cudaSuccess)
    return report(status);
  finish(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t status = refuse_while_capturing(*stream); status != cudaSuccess)
    return report(status);
  if (stream->queue.empty()) return cudaSuccess;
  advance(*stream);
  return report(cudaErrorNotReady);
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  finish_all_streams();
  return cudaSuccess;
}

}  // extern "C"

// Declared in launch.hpp.
cudaError_t halfling_emulate_launch(cudaStream_t handle, int threads, std::size_t shared_bytes,
                                    std::function<void()> work) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (threads < 1 || threads > 1024) return cudaErrorInvalidConfiguration;
  if (shared_bytes > 48 * 1024) return cudaErrorInvalidValue;
  enqueue(*stream, std::move(work));
  return cudaSuccess;
}
