// SPDX-License-Identifier: Apache-2.0
// What runs: a flat list of steps with everything decided and every address known. Running one only queues
// work on a stream, so that a whole list can be captured and replayed.
#pragma once

#include <cublas_v2.h>
#include <cudnn.h>

#include <memory>
#include <string>

#include "program/fusion.hpp"
#include "program/step.hpp"
#include "program/work.hpp"

namespace halfling::cudnn {

using namespace program;

struct Timings;

/// The session's libraries, bound to its stream and owned by the session, and how convolutions are chosen.
struct Libraries {
  cudaStream_t stream = nullptr;
  cudnnHandle_t dnn = nullptr;
  cublasHandle_t blas = nullptr;
  std::string device;  ///< its name, for messages
  int multiprocessors = 1;
  std::size_t workspace_limit = 0;  ///< bytes that a convolution may use
  bool nondeterministic = false;    ///< whether engines whose sums depend on timing may be chosen
  bool runtime_compiled = false;    ///< whether engines that are compiled first may be chosen
  int timed = 0;               ///< how many of the best plans are timed on the device; 0: the first is taken
  Timings* timings = nullptr;  ///< of the convolutions so far
};

/// `run` queues the work on a stream. It calls nothing that a stream in capture forbids.
class Step : public program::Step<cudaStream_t> {
 public:
  /// Bytes of the device that it owns: its tables.
  virtual std::size_t device_bytes() const { return 0; }
};

struct StepContext : program::StepContext {
  const Libraries& libraries;
};

using StepPointer = std::unique_ptr<Step>;
StepPointer make_step(const StepContext& context, const Cluster& cluster);
StepPointer make_tile_step(const StepContext& context, const Cluster& cluster);
StepPointer make_convolution_step(const StepContext& context, const Item& item);
StepPointer make_matmul_step(const StepContext& context, const Item& item);
/// Updates with the same attributes, step, scale and skip: one launch for all of them.
StepPointer make_adam_step(const StepContext& context, const std::vector<const Item*>& items);
StepPointer make_schedule_step(const StepContext& context, const Item& item);
StepPointer make_random_step(const StepContext& context, const Item& item);  // random ops, advance_random
StepPointer make_reduction_step(const StepContext& context,
                                const Item& item);                          // sum, any_nonfinite, histogram
StepPointer make_loss_step(const StepContext& context, const Item& item);   // softmax, its cross-entropy
StepPointer make_shape_step(const StepContext& context, const Item& item);  // reshape, concat, slice, copy…

}  // namespace halfling::cudnn
