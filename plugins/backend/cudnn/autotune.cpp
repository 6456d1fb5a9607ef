// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "convolution_plan.hpp"
#include "device_buffer.hpp"

namespace halfling::cudnn {
namespace {

constexpr int repetitions = 10;

/// Seconds of one execution, after a first one that is not counted: it loaded the kernels.
double timed(const Candidate& candidate, const Descriptor& pack, cudnnHandle_t handle, cudaStream_t stream) {
  const Event begin = make_event(true), end = make_event(true);
  check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
  for (int i = 0; i < repetitions; ++i)
    check(cudnnBackendExecute(handle, candidate.plan.get(), pack.get()), "cudnnBackendExecute");
  check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds) / repetitions;
}

}  // namespace

void ConvolutionPlan::autotune(cudnnHandle_t handle, cudaStream_t stream) {
  std::vector<Candidate> running;
  std::string failure;
  for (Candidate& candidate : candidates_) {
    const cudnnStatus_t status = cudnnBackendExecute(handle, candidate.plan.get(), pack_.value().get());
    if (status != CUDNN_STATUS_SUCCESS) {
      failure = std::string("does not start: ") + cudnnGetErrorString(status);
      ++dropped_[failure];
      continue;
    }
    candidate.seconds = timed(candidate, *pack_, handle, stream);
    running.push_back(std::move(candidate));
  }
  if (running.empty())
    throw Error({.what = "none of cuDNN's plans for a convolution runs",
                 .where = "backend cudnn",
                 .got = text(problem_) + ": the last " + failure,
                 .expected = "one of " + std::to_string(candidates_.size()) + " to run"});
  std::ranges::stable_sort(running, {}, [](const Candidate& candidate) { return *candidate.seconds; });
  candidates_ = std::move(running);
}

void ConvolutionPlan::take(const Timings::Fastest& fastest) {
  std::ranges::stable_partition(candidates_, [&](const Candidate& c) { return c.source == fastest.source; });
  candidates_.front().seconds = fastest.seconds;
}

}  // namespace halfling::cudnn
