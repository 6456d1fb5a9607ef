// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "halfling/backend.hpp"
#include "host_memory.hpp"
#include "program/states.hpp"
#include "team.hpp"

namespace halfling::cpu {

using namespace program;

/// The states of one device, shared by its executables.
class CpuSession final : public Session {
 public:
  CpuSession(const Team& team, bool emulate) : team_(team), emulate_(emulate) {}
  std::unique_ptr<Executable> compile(const Graph& graph) override;
  void write_state(std::string_view name, std::span<const std::byte> data) override;
  void read_state(std::string_view name, std::span<std::byte> data) const override;

 private:
  Team team_;
  bool emulate_;
  HostMemory memory_;
  States states_{"cpu", memory_};
};

/// Empty where the backend can do the node, else the reason.
std::string refusal_of(const Graph& graph, const Node& node);

std::unique_ptr<Executable> make_executable(const Graph& graph, StateLookup states, const Team& team,
                                            bool emulate);

}  // namespace halfling::cpu
