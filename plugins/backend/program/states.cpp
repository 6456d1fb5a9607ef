// SPDX-License-Identifier: Apache-2.0
#include "states.hpp"

#include <fmt/format.h>

#include "halfling/error.hpp"

namespace halfling::program {

StateLookup States::declare(const Graph& graph) {
  StateLookup result;
  for (const State& state : graph.states()) {
    auto& memory = states_[state.name];
    if (memory == nullptr) {
      const auto bytes = static_cast<std::size_t>(state.shape.elements()) * size_of(state.dtype);
      memory =
          std::make_shared<StateMemory>(StateMemory{state.dtype, state.shape, memory_.allocate(bytes), {}});
    } else if (memory->dtype != state.dtype || memory->logical != state.shape) {
      throw Error({.what = fmt::format("state \"{}\" has another form in this session", state.name),
                   .where = fmt::format("backend {}", backend_),
                   .got = fmt::format("{} {}", name_of(state.dtype), state.shape.text()),
                   .expected = fmt::format("{} {}", name_of(memory->dtype), memory->logical.text())});
    }
    result.push_back(memory);
  }
  return result;
}

StateMemory& States::find(std::string_view name) const {
  const auto found = states_.find(name);
  if (found == states_.end())
    throw Error({.what = fmt::format("there is no state \"{}\"", name),
                 .where = fmt::format("backend {}", backend_),
                 .expected = "a state of a compiled graph"});
  return *found->second;
}

void written(StateMemory& state) {
  for (const auto& half : state.halves) half->current = false;
}

void check_size(const char* backend, std::string_view name, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  throw Error({.what = fmt::format("wrong number of bytes for \"{}\"", name),
               .where = fmt::format("backend {}", backend),
               .got = std::to_string(got),
               .expected = std::to_string(expected)});
}

void check_nodes(const char* backend, const Graph& graph, std::string (*refusal)(const Graph&, const Node&)) {
  for (const Node& node : graph.nodes())
    if (const std::string reason = refusal(graph, node); !reason.empty())
      throw Error({.what = fmt::format("backend {} cannot run {}: {}", backend, name_of(node.op), reason),
                   .where = node.results.empty() ? node.scope : graph.describe(node.results[0])});
}

HalfCopies::HalfCopies(const Graph& graph, StateLookup states, const Program& program)
    : states_(std::move(states)), kept_(program.kept) {
  for (const State& state : graph.states()) changes_.push_back(state.latest != state.first);
}

void HalfCopies::refresh(const std::function<void(const StateMemory&, HalfCopy&)>& make) const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    HalfCopy* half = kept_[i];
    if (half == nullptr) continue;
    if (!half->current) make(*states_[i], *half);
    half->current = false;  // until the run is through
  }
}

void HalfCopies::mark() const {
  for (std::size_t i = 0; i < states_.size(); ++i)
    for (const auto& half : states_[i]->halves)
      if (half.get() == kept_[i])
        half->current = true;
      else if (changes_[i])
        half->current = false;
}

}  // namespace halfling::program
