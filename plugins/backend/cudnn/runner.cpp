// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

namespace halfling::cudnn {

void Runner::run(cudaStream_t stream) {
  if (capture_ && !graph_ && runs_ >= warmup) capture(stream);
  ++runs_;
  if (graph_)
    check(cudaGraphLaunch(graph_.get(), stream), "cudaGraphLaunch");
  else
    queue(stream);
}

void Runner::queue(cudaStream_t stream) const {
  for (const StepPointer& step : steps_) step->run(stream);
  last_(stream);
}

/// Leaves the stream as it was where something cannot be captured.
void Runner::capture(cudaStream_t stream) {
  std::string failure;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try {
    queue(stream);
  } catch (const Error& error) {
    failure = error.details().what + (error.details().got.empty() ? "" : ": " + error.details().got);
  }
  cudaGraph_t recorded = nullptr;
  cudaError_t status = cudaStreamEndCapture(stream, &recorded);
  const CudaGraph graph(recorded);
  cudaGraphExec_t executable = nullptr;
  if (failure.empty() && status == cudaSuccess) status = cudaGraphInstantiate(&executable, recorded, 0);
  if (failure.empty() && status == cudaSuccess) {
    graph_ = CudaGraphExec(executable);
    return;
  }
  ignore(cudaGetLastError());
  capture_ = false;
  remark_ =
      "iterations run step by step, which is slower, because they cannot be captured as a CUDA graph: " +
      (failure.empty() ? std::string(cudaGetErrorString(status)) : failure);
}

void Runner::run_timed(cudaStream_t stream, std::vector<double>& seconds) {
  std::vector<Event> events;
  const auto mark = [&] {
    events.push_back(make_event(true));
    check(cudaEventRecord(events.back().get(), stream), "cudaEventRecord");
  };
  mark();
  for (const StepPointer& step : steps_) {
    step->run(stream);
    mark();
  }
  last_(stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events[i].get(), events[i + 1].get()), "cudaEventElapsedTime");
    seconds[i] += 1e-3 * static_cast<double>(milliseconds);
  }
}

}  // namespace halfling::cudnn
