// SPDX-License-Identifier: Apache-2.0
// What needs cuDNN and cuBLAS lies in a library of its own beside the plugin, which is loaded only where a
// GPU answers: the two libraries cost every process that loads them some 200 MiB, also one that trains on the
// processor. Where one of them is missing, the plugin still loads and says which.
#pragma once

#include <memory>

#include "gpu.hpp"
#include "halfling/backend.hpp"

namespace halfling::cudnn {

/// The options of the backend that a session takes.
struct Settings {
  std::size_t workspace = 0;      ///< bytes that a convolution may use
  bool nondeterministic = false;  ///< whether engines whose sums depend on timing may be chosen
  bool runtime_compiled = false;  ///< whether engines that are compiled first may be chosen
  int timed = 0;                  ///< how many of the best plans are timed on the device
  bool capture = true;            ///< whether iterations are replayed as a CUDA graph
};

/// The library's exported symbol, halfling_cudnn_library.
struct GpuLibrary {
  std::unique_ptr<Session> (*open)(const Gpu& gpu, const Settings& settings);
  std::string (*versions)();  ///< "CUDA 13.0, cuDNN 9.19.0, cuBLAS 13.1"
};

/// Loads the library. Throws Error that names what is missing.
const GpuLibrary& gpu_library();

}  // namespace halfling::cudnn
