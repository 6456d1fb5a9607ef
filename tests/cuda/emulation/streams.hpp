// SPDX-License-Identifier: Apache-2.0
// Streams are queues whose work runs only when somebody waits for it, so that a missing wait shows; but
// copies from pinned memory run as early as they may, so that another missing wait shows. A stream that
// captures keeps its work in a graph instead.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace emulation {

/// A place in a stream, as an event remembers it.
struct Mark {
  CUstream_st* stream;
  bool reached = false;
  std::chrono::steady_clock::time_point time{};
};

using Work = std::function<void()>;

struct Queued {
  Work work;
  std::shared_ptr<const Mark> after{};  ///< runs up to this mark first
};

struct Capture {
  std::vector<Work> nodes;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool valid = true;
};

/// Null where there is no such stream; a null handle means the default stream.
CUstream_st* find_stream(cudaStream_t handle);
bool is_capturing(const CUstream_st& stream);
/// Appends to the stream's queue, or to the graph that it captures.
void enqueue(CUstream_st& stream, Work work);
/// What is queued from now on comes after the mark.
void enqueue_wait(CUstream_st& stream, std::shared_ptr<const Mark> mark);

/// Runs what was queued: all of it, or up to a mark.
void finish(CUstream_st& stream);
void finish_all_streams();
void finish(const Mark& mark);
/// Runs what waits for no other stream.
void finish_what_can_run(CUstream_st& stream);
/// Runs the oldest piece of work, so that whoever polls sees progress.
void advance(CUstream_st& stream);

/// For calls that the stream's own capture forbids: makes it void, and returns `status`; cudaSuccess where it
/// does not capture.
cudaError_t refuse_while_capturing(CUstream_st& stream,
                                   cudaError_t status = cudaErrorStreamCaptureUnsupported);
/// For calls that a capture forbids to its thread (or, in global mode, to every thread): the error, after
/// which the capture is void; cudaSuccess where nothing is captured.
cudaError_t refuse_while_capturing();

}  // namespace emulation

struct CUstream_st {
  std::deque<emulation::Queued> queue;
  std::unique_ptr<emulation::Capture> capture;
};
