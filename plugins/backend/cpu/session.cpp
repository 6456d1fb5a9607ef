// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include "program/refusal.hpp"

namespace halfling::cpu {
std::string refusal_of(const Graph& graph, const Node& node) {
  return program::refusal_of(graph, node, {DType::f32});
}

std::unique_ptr<Executable> CpuSession::compile(const Graph& graph) {
  check_nodes("cpu", graph, refusal_of);
  team_.lead();
  return make_executable(graph, states_.declare(graph), team_, emulate_);
}

void CpuSession::write_state(std::string_view name, std::span<const std::byte> data) {
  StateMemory& state = states_.find(name);
  check_size("cpu", name, data.size(), state.block.bytes());
  written(state);
  to_physical(state.logical, size_of(state.dtype), data.data(), state.block.data());
}

void CpuSession::read_state(std::string_view name, std::span<std::byte> data) const {
  const StateMemory& state = states_.find(name);
  check_size("cpu", name, data.size(), state.block.bytes());
  to_logical(state.logical, size_of(state.dtype), state.block.data(), data.data());
}

}  // namespace halfling::cpu
