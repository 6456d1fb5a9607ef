// SPDX-License-Identifier: Apache-2.0
// Backend "cudnn": raw cuDNN convolutions, cuBLAS products, kernels of its own for the rest.
#include "halfling/backend.hpp"

#include <algorithm>

#include "gpu_library.hpp"
#include "halfling/error.hpp"
#include "refusal.hpp"

namespace halfling::cudnn {
namespace {

constexpr OptionDeclaration options[] = {
    {"device", OptionType::integer, "", "-1", "CUDA's number of the GPU; -1: the first that can be used", -1,
     1023},
    {"workspace", OptionType::size, "", "\"256MiB\"", "scratch that a convolution may use at most", 0},
    {"timed_plans", OptionType::integer, "", "0",
     "how many of cuDNN's best plans are timed on the GPU for each convolution, so that runs of one seed "
     "differ "
     "in their last bits; 0: its first choice is taken",
     0, 64},
    {"nondeterministic", OptionType::boolean, "", "false",
     "allow engines whose results differ from run to run"},
    {"runtime_compiled", OptionType::boolean, "", "false",
     "allow engines that cuDNN compiles first, which takes seconds"},
    {"capture", OptionType::boolean, "", "true", "replay iterations as one CUDA graph"},
};

class CudnnBackend final : public Backend {
 public:
  explicit CudnnBackend(const Options& options)
      : settings_{.workspace = static_cast<std::size_t>(options.integer("workspace")),
                  .nondeterministic = options.boolean("nondeterministic"),
                  .runtime_compiled = options.boolean("runtime_compiled"),
                  .timed = static_cast<int>(options.integer("timed_plans")),
                  .capture = options.boolean("capture")},
        gpus_(find_gpus()) {
    choose(static_cast<int>(options.integer("device")));
    if (!gpus_.usable.empty()) load();
  }

  std::vector<Device> devices() const override {
    std::vector<Device> devices;
    for (const Gpu& gpu : gpus_.usable) devices.push_back(gpu.device);
    return devices;
  }
  std::string unavailable() const override { return gpus_.missing; }
  int preference() const override { return 100; }
  std::string refusal(const Graph& graph, const Node& node) const override { return refusal_of(graph, node); }
  std::unique_ptr<Session> open(int device) override {
    return gpu_library().open(gpus_.usable.at(static_cast<std::size_t>(device)), settings_);
  }

 private:
  void choose(int wanted) {
    if (wanted < 0) return;
    std::erase_if(gpus_.usable, [&](const Gpu& gpu) { return gpu.ordinal != wanted; });
    if (gpus_.usable.empty() && gpus_.missing.empty())
      gpus_.missing = "there is no GPU " + std::to_string(wanted) + "; `halfling devices` lists them";
  }

  void load() {
    try {
      for (Gpu& gpu : gpus_.usable) gpu.device.library = gpu_library().versions() + ", " + gpu.device.library;
    } catch (const Error& error) {
      gpus_.usable.clear();
      gpus_.missing = error.details().got + "; " + error.details().hint;
    }
  }

  Settings settings_;
  Gpus gpus_;
};

}  // namespace
}  // namespace halfling::cudnn

#ifndef HALFLING_CUDNN_NAME
#define HALFLING_CUDNN_NAME "cudnn"  // another in tests/cuda/emulation
#endif

using halfling::cudnn::CudnnBackend;
HALFLING_PLUGIN(CudnnBackend, HALFLING_CUDNN_NAME, HALFLING_VERSION,
                "cuDNN and cuBLAS on NVIDIA GPUs: float32, TF32, float16 and bfloat16 on Tensor Cores",
                halfling::cudnn::options)
