// SPDX-License-Identifier: Apache-2.0
// Which of cuDNN's engines computes a convolution: its suggestions, less those that do not compute what the
// precision promises.
//
//   ConvolutionPlan plan = choose_plan(target, problem, {});
//   plan.bind({x, w, y}, workspace);  // of plan.workspace() bytes
//   plan.execute(handle);             // as often as wanted, in a captured stream too
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convolution_graph.hpp"

namespace halfling::cudnn {

struct PlanOptions {
  std::size_t workspace_limit = std::size_t{256} << 20;  ///< bytes
  bool nondeterministic = false;     ///< also engines that add in an order of their own each time
  bool runtime_compilation = false;  ///< also engines that compile kernels, for a second each
  std::size_t candidates = 8;        ///< the search ends when so many are left
};

/// An engine with its settings, ready to run.
struct Candidate {
  Descriptor config;  ///< that the plan is made from
  Descriptor plan;
  std::string engine;               ///< "engine 65 knobs 2=5 13=1"
  std::string source;               ///< cuDNN's list and the place in it: "A[0]", "FALLBACK[2]"
  std::vector<std::string> notes;   ///< "TENSOR_CORE"
  std::size_t workspace = 0;        ///< bytes
  std::optional<double> seconds{};  ///< where it was timed
};

/// The fastest candidates by convolution, as they were timed: equal convolutions are timed once and take the
/// same.
struct Timings {
  struct Fastest {
    std::string source;
    double seconds = 0;
  };
  std::map<ConvolutionProblem, Fastest> fastest;
};

/// Memory of the device, aligned to 16 bytes.
struct ConvolutionPointers {
  void* image = nullptr;
  void* filter = nullptr;
  void* response = nullptr;
};

class ConvolutionPlan {
 public:
  const ConvolutionProblem& problem() const { return problem_; }
  /// The one that runs: the first.
  const Candidate& chosen() const { return candidates_.front(); }
  /// At least one, in cuDNN's order, or from the fastest on where they were timed.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  /// How many were refused on the way to the candidates, by reason: "TENSOR_CORE", "workspace", or
  /// the status with which cuDNN refused them.
  const std::map<std::string, int>& dropped() const { return dropped_; }
  /// Bytes that it needs while it runs.
  std::size_t workspace() const { return chosen().workspace; }
  /// Bytes that any of the candidates needs.
  std::size_t largest_workspace() const;
  /// For profiles and environment.json: what was chosen, out of what.
  std::string record() const;

  /// What the next executions read and write; allocates.
  void bind(const ConvolutionPointers& pointers, void* workspace);
  /// Queues the convolution on the handle's stream; allocates nothing.
  void execute(cudnnHandle_t handle) const;

  /// Times the candidates with what is bound, whose workspace must suffice for each of them, on the handle's
  /// stream, and puts the fastest first; waits for the stream. Candidates that fail to start are dropped;
  /// throws Error where none runs.
  void autotune(cudnnHandle_t handle, cudaStream_t stream);
  /// Puts the candidate first that was the fastest of an equal plan.
  void take(const Timings::Fastest& fastest);

 private:
  friend ConvolutionPlan choose_plan(const Target&, const ConvolutionProblem&, const PlanOptions&);
  explicit ConvolutionPlan(const ConvolutionProblem& problem) : problem_(problem) {}

  ConvolutionProblem problem_;
  std::vector<Descriptor> graph_;
  std::vector<Candidate> candidates_;
  std::map<std::string, int> dropped_;
  std::optional<Descriptor> pack_;
};

/// Plans for the convolution on the target, in the order of cuDNN's heuristics (mode A, then its fallbacks).
/// Never one that rounds sums to less than f32; for strict f32 none on tensor cores, for tf32 none that
/// converts its operands to less. Throws Error with everything that was refused where nothing is left.
ConvolutionPlan choose_plan(const Target& target, const ConvolutionProblem& problem,
                            const PlanOptions& options);

}  // namespace halfling::cudnn
