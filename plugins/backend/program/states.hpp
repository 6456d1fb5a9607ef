// SPDX-License-Identifier: Apache-2.0
// The states of a session by name, shared by its executables.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "program.hpp"

namespace halfling::program {

class States {
 public:
  /// `backend`, for messages, and `memory` outlive this.
  States(const char* backend, const Memory& memory) : backend_(backend), memory_(memory) {}
  /// The memory of a graph's states; new ones are zeroed. Throws Error where one is known in another form.
  StateLookup declare(const Graph& graph);
  /// Throws Error for an unknown name.
  StateMemory& find(std::string_view name) const;

 private:
  const char* backend_;
  const Memory& memory_;
  std::map<std::string, std::shared_ptr<StateMemory>, std::less<>> states_;
};

/// Says that the host has written a state: its half copies are stale.
void written(StateMemory& state);

/// Throws Error where a host buffer has another size than its value.
void check_size(const char* backend, std::string_view name, std::size_t got, std::size_t expected);

/// Throws Error for the first node that `refusal` gives a reason for.
void check_nodes(const char* backend, const Graph& graph,
                 std::string (*refusal)(const Graph& graph, const Node& node));

/// Which half copies are fresh while a program runs.
class HalfCopies {
 public:
  HalfCopies(const Graph& graph, StateLookup states, const Program& program);
  /// Calls make(state, half) for each copy that something else left behind. Call before a run.
  void refresh(const std::function<void(const StateMemory&, HalfCopy&)>& make) const;
  /// The run is through: its own copies are fresh, others of the states that it changed are not.
  void mark() const;

 private:
  StateLookup states_;
  std::vector<HalfCopy*> kept_;  ///< by state
  std::vector<bool> changes_;    ///< by state
};

}  // namespace halfling::program
