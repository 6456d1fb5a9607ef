// SPDX-License-Identifier: Apache-2.0
// States: updated in place or not, read by several nodes, shared by two graphs, left alone.
#include "case.hpp"

namespace halfling::conformance {
namespace {

/// The old value is read by three nodes before the update replaces it.
void read_then_update(Builder& b) {
  const Value w = b.state("w", b.io(), {5, 7}, integers(3));
  const Value x = b.input("x", {4, 5});
  b.output("product", matmul(x, w));
  b.output("twice", 2.0 * w);
  b.output("positive", relu(w));
  b.graph.assign("w", w + b.input("change", {5, 7}, list({1, 0, -1})));
}

void accumulate(Builder& b) {
  const Value total = b.state("total", b.io(), {2, 3, 4, 4}, integers(2));
  const Value updated = total + b.input("x", {2, 3, 4, 4}, integers(2));
  b.graph.assign("total", updated);
  b.output("updated", updated);
}

/// A second update in the same run starts from the first one's result.
void update_twice(Builder& b) {
  const Value p = b.state("p", b.wide(), {17}, integers(3));
  const Value once = p + b.input("a", b.wide(), {17}, integers(3));
  b.graph.assign("p", once);
  b.output("between", 2.0 * once);
  b.graph.assign("p", 0.5 * once);
}

void leave_alone(Builder& b) {
  const Value w = b.state("w", b.io(), {6, 5}, integers(3));
  b.state("unused", b.wide(), {3}, integers(3));
  b.output("y", 2.0 * w);
}

void assign_input(Builder& b) {
  const Value held = b.state("held", b.io(), {3, 4}, integers(3));
  b.output("previous twice", held + held);
  b.graph.assign("held", b.input("x", {3, 4}));
}

void select_state(Builder& b) {  // what an optimizer without an op of its own does
  const Value p = b.state("p", b.wide(), {6, 5}, integers(3));
  const Value g = b.input("g", b.wide(), {6, 5}, integers(3));
  b.graph.assign("p", select(b.flag("skip", false), p, p - 0.5 * g));
}

void scalar_machine(Builder& b) {  // as a loss scaler: doubles, but not beyond a limit
  const Value scale = b.state("scale", DType::f32, {}, list({4}));
  b.output("scale before", 1.0 * scale);
  const Value limit = constant(b.graph, 16);
  b.graph.assign("scale", select(less(scale, limit), 2.0 * scale, scale));
}

/// Another graph of the session reads the first one's state, and declares one more.
void sample(Builder& b) {
  State w;
  w.name = "total";
  w.dtype = b.io();
  w.shape = {2, 3, 4, 4};
  b.output("twice", 2.0 * Value{&b.graph, b.graph.state(w)});
  const Value own = b.state("own", b.io(), {5}, integers(3));
  b.graph.assign("own", own + own);
}

}  // namespace

std::vector<Case> state_cases() {
  return {
      {.name = "state/read-then-update", .build = read_then_update, .runs = 3},
      {.name = "state/accumulate", .build = accumulate, .runs = 3},
      {.name = "state/update-twice", .build = update_twice, .runs = 2},
      {.name = "state/leave-alone", .build = leave_alone, .runs = 2},
      {.name = "state/assign-input", .build = assign_input, .runs = 2},
      {.name = "state/select", .build = select_state, .runs = 2},
      {.name = "state/scalar-machine", .build = scalar_machine, .formats = Formats::once, .runs = 4},
      {.name = "state/two-graphs", .build = accumulate, .then = sample, .runs = 2},
  };
}

}  // namespace halfling::conformance
