// SPDX-License-Identifier: Apache-2.0
// Capture and replay.
#include <cuda_runtime_api.h>

#include "errors.hpp"
#include "handles.hpp"
#include "streams.hpp"

struct CUgraph_st {
  std::vector<emulation::Work> nodes;
};
struct CUgraphExec_st {
  std::shared_ptr<const std::vector<emulation::Work>> nodes;
};

namespace emulation {
namespace {

Handles<CUgraph_st> graphs;
Handles<CUgraphExec_st> executables;

}  // namespace
}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  if (handle == nullptr) return report(cudaErrorStreamCaptureUnsupported);  // the default stream
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (stream->capture) return report(cudaErrorIllegalState);
  stream->capture =
      std::make_unique<Capture>(Capture{.nodes = {}, .mode = mode, .thread = std::this_thread::get_id()});
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (!stream->capture) return report(cudaErrorIllegalState);
  if (stream->capture->thread != std::this_thread::get_id() &&
      stream->capture->mode != cudaStreamCaptureModeRelaxed)
    return report(cudaErrorStreamCaptureWrongThread);
  const auto capture = std::move(stream->capture);
  if (!capture->valid) return report(cudaErrorStreamCaptureInvalidated);
  *graph = graphs.add(new CUgraph_st{std::move(capture->nodes)});
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  *status = !stream->capture         ? cudaStreamCaptureStatusNone
            : stream->capture->valid ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  if (!graphs.contains(graph) || flags != 0) return report(cudaErrorInvalidValue);
  *executable = executables.add(new CUgraphExec_st{std::make_shared<const std::vector<Work>>(graph->nodes)});
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t handle) {
  if (!executables.contains(executable) || find_stream(handle) == nullptr)
    return report(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr || !executables.contains(executable)) return report(cudaErrorInvalidValue);
  if (stream->capture) return report(cudaErrorNotSupported);  // a graph within a graph is not emulated
  // One piece of work per node, and the nodes live until the last has run, whoever destroys the executable.
  for (const Work& node : *executable->nodes) enqueue(*stream, [all = executable->nodes, &node] { node(); });
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return report(graphs.remove(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return report(executables.remove(executable) ? cudaSuccess : cudaErrorInvalidValue);
}

}  // extern "C"
