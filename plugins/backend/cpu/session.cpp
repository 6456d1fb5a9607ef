// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

#include "halfling/error.hpp"

namespace halfling::cpu {

void check_size(std::string_view name, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  throw Error({.what = fmt::format("wrong number of bytes for \"{}\"", name),
               .where = "backend cpu",
               .got = std::to_string(got),
               .expected = std::to_string(expected),
               .hint = ""});
}

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
  for (const Node& node : graph.nodes())
    if (const std::string reason = refusal_of(graph, node); !reason.empty())
      throw Error({.what = fmt::format("backend cpu cannot run {}: {}", name_of(node.op), reason),
                   .where = node.results.empty() ? node.scope : graph.describe(node.results[0]),
                   .got = "",
                   .expected = "",
                   .hint = ""});
  StateLookup states;
  for (const State& state : graph.states()) {
    auto& memory = states_[state.name];
    if (memory == nullptr) {
      const auto bytes = static_cast<std::size_t>(state.shape.elements()) * size_of(state.dtype);
      memory = std::make_shared<StateMemory>(StateMemory{state.dtype, state.shape, host_block(bytes), {}});
    } else if (memory->dtype != state.dtype || memory->logical != state.shape) {
      throw Error({.what = fmt::format("state \"{}\" has another form in this session", state.name),
                   .where = "backend cpu",
                   .got = fmt::format("{} {}", name_of(state.dtype), state.shape.text()),
                   .expected = fmt::format("{} {}", name_of(memory->dtype), memory->logical.text()),
                   .hint = ""});
    }
    states.push_back(memory);
  }
  return make_executable(graph, std::move(states), team_, emulate_);
}

StateMemory& CpuSession::find(std::string_view name) const {
  const auto found = states_.find(name);
  if (found == states_.end())
    throw Error({.what = fmt::format("there is no state \"{}\"", name),
                 .where = "backend cpu",
                 .got = "",
                 .expected = "a state of a compiled graph",
                 .hint = ""});
  return *found->second;
}

void CpuSession::write_state(std::string_view name, std::span<const std::byte> data) {
  StateMemory& state = find(name);
  check_size(name, data.size(), state.block.bytes());
  for (const auto& half : state.halves) half->current = false;
  to_physical(state.logical, size_of(state.dtype), data.data(), state.block.data());
}

void CpuSession::read_state(std::string_view name, std::span<std::byte> data) const {
  const StateMemory& state = find(name);
  check_size(name, data.size(), state.block.bytes());
  to_logical(state.logical, size_of(state.dtype), state.block.data(), data.data());
}

}  // namespace halfling::cpu
