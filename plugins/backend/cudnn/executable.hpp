// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_memory.hpp"
#include "halfling/backend.hpp"
#include "step.hpp"

namespace halfling::cudnn {

/// What a session lends to its executables; it outlives them.
struct Resources {
  const Libraries& libraries;
  cudaStream_t uploads;
  const DeviceMemory& memory;
  bool capture;               ///< whether runs are to be captured as a CUDA graph
  std::size_t library_bytes;  ///< workspaces of the session's libraries
};

/// Of a padded graph.
std::unique_ptr<Executable> make_executable(const Graph& graph, StateLookup states,
                                            const Resources& resources);

}  // namespace halfling::cudnn
