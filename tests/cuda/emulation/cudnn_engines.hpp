// SPDX-License-Identifier: Apache-2.0
// The engines that the emulation offers: good ones, and before them one for each fault that the plugin has to
// avoid.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <vector>

#include "cudnn_convolution.hpp"

namespace emulation {

struct Engine {
  std::int64_t index;
  cudnnBackendHeurMode_t mode;  ///< whose heuristics suggest it
  std::vector<cudnnBackendNumericalNote_t> numerical_notes;
  std::vector<cudnnBackendBehaviorNote_t> behavior_notes;
  std::int64_t workspace;  ///< bytes
  Arithmetic arithmetic;
  bool (*supports)(DType type);
  bool builds = true;  ///< a plan of it can be finalized
  bool runs = true;    ///< and executed
};

/// Best guess first, as the heuristics list them.
const std::vector<Engine>& engines();

/// Of an execution plan.
const Engine& engine_of(const Descriptor& plan);

}  // namespace emulation
