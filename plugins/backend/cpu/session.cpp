// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

namespace halfling::cpu {

std::string refusal_of(const Graph& graph, const Node& node) {
  for (const auto* list : {&node.operands, &node.results})
    for (const ValueId id : *list)
      if (graph.value(id).dtype == DType::f64)
        return "f64 is not computed by oneDNN; use backend \"reference\"";
  if (node.compute == DType::f64) return "f64 is not computed by oneDNN; use backend \"reference\"";
  if (class_of(node.op) == OpClass::contraction && node.compute != DType::f32)
    return fmt::format("contractions accumulate in f32, not in {}", name_of(node.compute));
  return {};
}

std::unique_ptr<Executable> CpuSession::compile(const Graph& graph) {
  check_nodes("cpu", graph, refusal_of);
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
