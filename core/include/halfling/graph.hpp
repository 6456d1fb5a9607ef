// SPDX-License-Identifier: Apache-2.0
// The static graph: values and nodes in static single assignment form. Architectures, losses, loss scaling
// and updates are all this one thing. Nodes stand in an order in which they can run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfling/op.hpp"

namespace halfling {

using ValueId = std::int32_t;
using NodeId = std::int32_t;
inline constexpr ValueId no_value = -1;

/// What a node belongs to; shown in plans, profiles and messages.
enum class Stage : std::uint8_t { forward, backward, update };

struct ValueInfo {
  DType dtype = DType::f32;
  Shape shape;
  NodeId producer = -1;
  int result = 0;  ///< which of the producer's results
};

struct Node {
  Op op{};
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Attributes attributes;
  DType compute = DType::f32;  ///< the format that it computes and accumulates in
  std::string scope;           ///< the layer, "g.deconv3"; a gradient node carries its forward node's
  Stage stage = Stage::forward;
};

/// How a state begins. Random kinds draw from the generator of random.hpp, keyed by seed and state name.
struct Initial {
  enum class Kind : std::uint8_t { constant, normal, truncated_normal, uniform, random_counter };
  Kind kind = Kind::constant;
  double value = 0;  ///< constant: the value; normal kinds: standard deviation; uniform: bound of [-b, b)
  bool operator==(const Initial&) const = default;
};

enum class StateRole : std::uint8_t {
  parameter,
  statistic,  ///< what a forward pass keeps and assigns: of batch norm, of spectral norm
  optimizer,  ///< moments
  scaler,
  counter,
  average,  ///< of a parameter or statistic, over iterations
};

/// A persistent value: parameter, moment, statistic, loss scale, counter. All states together are a
/// checkpoint. A phase's forward graph may declare and assign statistics: once per run of the phase, whether
/// or not its updates are then skipped, and kept in the policy's parameter format (f32; f64 under fp64).
struct State {
  std::string name;  ///< dotted, unique
  DType dtype = DType::f32;
  Shape shape;
  Initial initial;
  StateRole role = StateRole::parameter;
  ValueId first = no_value;   ///< the value at the start of a run
  ValueId latest = no_value;  ///< the value that a run leaves behind; `first` where it does not change
};

struct Port {  // a named input or output
  std::string name;
  ValueId value = no_value;
};

class HALFLING_API Graph {
 public:
  // --- reading
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueInfo>& values() const { return values_; }
  const std::vector<State>& states() const { return states_; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const ValueInfo& value(ValueId id) const { return values_[static_cast<std::size_t>(id)]; }
  const State* find_state(std::string_view name) const;
  /// "g.deconv3/conv2d_input_gradient.0", for messages.
  std::string describe(ValueId id) const;

  // --- building; every call checks shapes and formats and throws Error naming scope and op
  ValueId input(std::string name, DType dtype, Shape shape);
  /// Declares a state and returns its latest value; a second call with the same name must agree in format,
  /// shape, initial value and role.
  ValueId state(const State& declaration);
  /// Makes `value` what the state holds from here on.
  void assign(std::string_view state_name, ValueId value);
  void output(std::string name, ValueId value);
  /// Appends a node; returns its id. Result shapes and formats come from the op table.
  NodeId append(Op op, std::vector<ValueId> operands, Attributes attributes = {});
  ValueId append_value(Op op, std::vector<ValueId> operands, Attributes attributes = {}) {
    return node(append(op, std::move(operands), std::move(attributes))).results[0];
  }

  /// What newly appended nodes carry.
  struct Context {
    std::string scope;
    Stage stage = Stage::forward;
    std::optional<DType> compute;  ///< default: f64 where a result is f64, else f32
  };
  Context& context() { return context_; }
  const Context& context() const { return context_; }

 private:
  std::vector<Node> nodes_;
  std::vector<ValueInfo> values_;
  std::vector<State> states_;
  std::vector<Port> inputs_, outputs_;
  Context context_;
};

/// Checks every invariant: operands before use, types and shapes by the op table, states that start at their
/// own node and keep their type, unique names, and what lets updates run in place: a state's first value is
/// read neither after the node that makes its latest one nor as an output, and where a chain of updates leads
/// from the one to the other, no version on it after the update that replaces it. (What an op of another
/// class makes is a value like any, also while a state holds it.) Throws Error naming the first offender.
HALFLING_API void verify(const Graph& graph);

/// One line per node, for tests, plans and messages.
HALFLING_API std::string text(const Graph& graph);

}  // namespace halfling
