// SPDX-License-Identifier: Apache-2.0
// Random fused loops, and what they should give.
#pragma once

#include <vector>

#include "cudnn/device_buffer.hpp"
#include "program/fusion.hpp"

namespace halfling::test {

/// Items that share one loop, with operands on the emulated device.
struct RandomLoop {
  program::Program program;
  program::Cluster cluster;
  std::vector<cudnn::DeviceBuffer> memory;
  std::vector<std::byte*> addresses;       ///< by place
  std::vector<std::vector<float>> values;  ///< by slot, but for reductions: broadcast to the space
};

/// What the loops had: a test of something that never came would prove nothing.
struct Seen {
  int ragged = 0, wide = 0, few_threads = 0, in_place = 0, views = 0, integers = 0, reductions = 0;
};

RandomLoop random_loop(unsigned seed, Seen& seen);

/// An element of any format but f64 as a number.
float decode(DType dtype, const std::byte* from);

}  // namespace halfling::test
