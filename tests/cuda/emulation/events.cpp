// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "errors.hpp"
#include "handles.hpp"
#include "streams.hpp"

struct CUevent_st {
  bool timed;
  bool captured = false;                    // by the last record
  std::shared_ptr<emulation::Mark> mark{};  // of the last record outside of captures; null before the first
};

namespace emulation {
namespace {

Handles<CUevent_st> events;

/// What forbids to wait for the event, if anything does.
cudaError_t check_event(cudaEvent_t event) {
  if (!events.contains(event)) return cudaErrorInvalidResourceHandle;
  return event->captured ? cudaErrorCapturedEvent : cudaSuccess;
}

}  // namespace
}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = events.add(new CUevent_st{.timed = (flags & cudaEventDisableTiming) == 0});
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return report(events.remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr || !events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  event->captured = is_capturing(*stream);
  if (event->captured) return cudaSuccess;
  event->mark = std::make_shared<Mark>(Mark{.stream = stream});
  enqueue(*stream, [mark = event->mark] {
    mark->reached = true;
    mark->time = std::chrono::steady_clock::now();
  });
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t status = check_event(event); status != cudaSuccess) return report(status);
  if (!event->mark || event->mark->reached) return cudaSuccess;
  advance(*event->mark->stream);
  return report(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t status = check_event(event); status != cudaSuccess) return report(status);
  if (event->mark) finish(*event->mark);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  for (const cudaEvent_t event : {start, end}) {
    if (const cudaError_t status = check_event(event); status != cudaSuccess) return report(status);
    if (!event->timed || !event->mark) return report(cudaErrorInvalidResourceHandle);
    if (!event->mark->reached) return report(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->time - start->mark->time).count();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr || !events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  // Within one capture the queue's own order is enough; one that spreads over several streams is not
  // emulated.
  if (is_capturing(*stream))
    return report(event->captured ? cudaSuccess
                                  : refuse_while_capturing(*stream, cudaErrorStreamCaptureIsolation));
  if (event->captured) return report(cudaErrorNotSupported);
  if (event->mark) enqueue_wait(*stream, event->mark);
  return cudaSuccess;
}

}  // extern "C"
