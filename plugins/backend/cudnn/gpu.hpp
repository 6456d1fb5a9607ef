// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, or what is missing.
#pragma once

#include <string>
#include <vector>

#include "halfling/device.hpp"

namespace halfling::cudnn {

struct Gpu {
  int ordinal = 0;  ///< CUDA's number
  int multiprocessors = 1;
  Device device;  ///< its library names the driver only
};

struct Gpus {
  std::vector<Gpu> usable;
  std::string missing;  ///< why there is none, and how to mend it; also names GPUs that are too old
};

/// Asks the driver. Never throws: a machine without GPU is an answer.
Gpus find_gpus();

}  // namespace halfling::cudnn
