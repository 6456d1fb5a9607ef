// SPDX-License-Identifier: Apache-2.0
// One GPU with a set of states, which look unpadded from outside.
#pragma once

#include "device_memory.hpp"
#include "gpu.hpp"
#include "halfling/backend.hpp"
#include "pad.hpp"
#include "program/states.hpp"
#include "step.hpp"

namespace halfling::cudnn {

struct Settings {
  std::size_t workspace = 0;
  bool nondeterministic = false;
  bool runtime_compiled = false;
  int timed = 0;
  bool capture = true;
};

class CudnnSession final : public Session {
 public:
  /// Throws Error where a library cannot be started.
  CudnnSession(const Gpu& gpu, const Settings& settings);
  ~CudnnSession() override;
  std::unique_ptr<Executable> compile(const Graph& graph) override;
  void write_state(std::string_view name, std::span<const std::byte> data) override;
  void read_state(std::string_view name, std::span<std::byte> data) const override;

 private:
  const StateLayout& layout(std::string_view name) const;

  Gpu gpu_;
  Settings settings_;
  Stream compute_, uploads_;
  DeviceBuffer blas_workspace_;
  Libraries libraries_;
  DeviceMemory memory_;
  States states_{"cudnn", memory_};
  std::vector<StateLayout> layouts_;
};

/// Empty where the backend can do the node, else the reason.
std::string refusal_of(const Graph& graph, const Node& node);

}  // namespace halfling::cudnn
