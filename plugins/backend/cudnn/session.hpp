// SPDX-License-Identifier: Apache-2.0
// One GPU with a set of states, which look unpadded from outside.
#pragma once

#include "convolution_plan.hpp"
#include "device_memory.hpp"
#include "gpu_library.hpp"
#include "halfling/backend.hpp"
#include "pad.hpp"
#include "program/states.hpp"
#include "step.hpp"

namespace halfling::cudnn {

class CudnnSession final : public Session {
 public:
  /// Throws Error where a library cannot be started.
  CudnnSession(const Gpu& gpu, const Settings& settings);
  ~CudnnSession() override;
  std::unique_ptr<Executable> compile(const Graph& graph) override;
  void write_state(std::string_view name, std::span<const std::byte> data) override;
  void read_state(std::string_view name, std::span<std::byte> data) const override;
  std::uint64_t peak_device_bytes() const override { return cudnn::peak_device_bytes(); }

 private:
  const StateLayout& layout(std::string_view name) const;

  Gpu gpu_;
  Settings settings_;
  Stream compute_, uploads_;
  DeviceBuffer blas_workspace_;
  Timings timings_;
  Libraries libraries_;
  DeviceMemory memory_;
  States states_{"cudnn", memory_};
  std::vector<StateLayout> layouts_;
};

}  // namespace halfling::cudnn
