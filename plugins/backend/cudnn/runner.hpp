// SPDX-License-Identifier: Apache-2.0
// Runs a list of steps: the first times one by one, so that libraries load what they need; then captured once
// as a CUDA graph and replayed, which costs the host one launch a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device_buffer.hpp"
#include "step.hpp"

namespace halfling::cudnn {

class Runner {
 public:
  static constexpr int warmup = 2;  ///< runs before the capture

  /// `last` queues what follows the steps. With `capture` false every run is step by step.
  Runner(std::vector<StepPointer> steps, std::function<void(cudaStream_t)> last, bool capture)
      : steps_(std::move(steps)), last_(std::move(last)), capture_(capture) {}
  /// Queues one run.
  void run(cudaStream_t stream);
  /// One run, step by step; adds each step's seconds to `seconds`. Waits for it.
  void run_timed(cudaStream_t stream, std::vector<double>& seconds);
  bool captured() const { return static_cast<bool>(graph_); }
  /// Why runs are not captured although they should be; empty otherwise.
  const std::string& remark() const { return remark_; }

 private:
  void queue(cudaStream_t stream) const;
  void capture(cudaStream_t stream);

  std::vector<StepPointer> steps_;
  std::function<void(cudaStream_t)> last_;
  bool capture_;
  int runs_ = 0;
  CudaGraphExec graph_;
  std::string remark_;
};

}  // namespace halfling::cudnn
