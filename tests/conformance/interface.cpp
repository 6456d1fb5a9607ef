// SPDX-License-Identifier: Apache-2.0
// What backend.hpp promises beside results: errors, fresh states, profiles, memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "halfling/error.hpp"
#include "runner.hpp"
#include "suite.hpp"

namespace halfling::conformance {
namespace {

const Format single{"f32", DType::f32, DType::f32};

void build(Builder& b) {
  const Value w = b.state("w", DType::f32, {5, 7}, integers(3));
  const Value y = matmul(b.input("x", {4, 5}), w);
  b.output("y", y);
  b.graph.assign("w", w + w);
}

const Case example{.name = "interface", .build = build};

std::string must_throw(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error&) {
    return {};
  }
  return "\n  nothing was thrown; an Error was expected";
}

struct Compiled {
  explicit Compiled(Backend& backend) : session(backend.open(0)) {
    build(builder);
    executable = session->compile(builder.graph);
  }
  Builder builder{{.format = single, .fill = integers(3), .name = "interface"}};
  std::unique_ptr<Session> session;
  std::unique_ptr<Executable> executable;
  std::vector<std::byte> bytes = std::vector<std::byte>(4 * 7 * sizeof(float));
  std::span<std::byte> first(std::size_t count) { return std::span(bytes).first(count); }
};

std::string check_error(Backend& backend, void (*call)(Compiled&)) {
  Compiled compiled(backend);
  return must_throw([&] { call(compiled); });
}

/// A second graph that declares the state with another shape.
void redeclare(Compiled& compiled) {
  Builder other({.format = single, .fill = integers(3), .name = "other"});
  other.output("y", 2.0 * other.state("w", DType::f32, {3}, integers(3)));
  compiled.session->compile(other.graph);
}

std::string fresh_states_are_zero(Backend& backend) {
  Compiled compiled(backend);
  HostValue value(DType::f32, {5, 7});
  std::ranges::fill(value.bytes, std::byte{0x55});
  compiled.session->read_state("w", value.bytes);
  return all_zero(value) ? "" : "\n  a new state is not zero";
}

std::string profiles(Backend& backend) {
  Program program(backend, example, single);
  const Results plain = program.run();
  program.executable().profile(true);
  const Results profiled = program.run();
  const std::vector<ProfileEntry> entries = program.executable().profile();
  double seconds = 0;
  for (const ProfileEntry& entry : entries) seconds += entry.seconds;
  if (entries.empty() || seconds <= 0) return "\n  the profile is empty";
  return profiled == plain ? "" : "\n  a profiled run gave other bits";
}

/// What else could be spoiled is seen by no one, but the outputs must be.
std::string spoils(Backend& backend) {
  Program program(backend, example, single);
  const Results plain = program.run();
  program.executable().spoil();
  HostValue y(DType::f32, {4, 7});
  program.executable().read("y", y.bytes);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!std::isnan(y.at(i))) return fmt::format("\n  element {} of a spoiled output is {}", i, y.at(i));
  return program.run(Memory::spoiled) == plain ? "" : "\n  a run in spoiled memory gave other bits";
}

std::string counts_memory(Backend& backend) {
  Compiled compiled(backend);
  const MemoryUse use = compiled.executable->memory();
  const std::size_t state_bytes = 5 * 7 * sizeof(float);
  if (use.states < state_bytes) return "\n  less memory than the states have bytes";
  return use.total() > use.states ? "" : "\n  no memory but for the states";
}

double written(int run, std::size_t element) {
  return (7 * run + 3 * static_cast<int>(element)) % 11;
}

/// Histories h' = 2 h + x of an input in the order of images and of one that is not: what a run made of its
/// inputs shows in every later one.
struct Histories {
  explicit Histories(Backend& backend) : session(backend.open(0)) {
    for (const auto& [name, shape] : inputs) {
      const Value before = builder.state(name + " before", DType::f32, shape, integers(3));
      const Value after = 2.0 * before + builder.input(name, shape);
      builder.output(name + " after", after);
      builder.graph.assign(name + " before", after);
    }
    executable = session->compile(builder.graph);
  }
  void run(int number) {
    for (const auto& [name, shape] : inputs) {
      HostValue x(DType::f32, shape);
      for (std::size_t i = 0; i < x.size(); ++i) x.set(i, written(number, i));
      executable->write(name, x.bytes);
    }
    executable->run();
  }
  /// Empty where the last run, or the one before it, was that of this number and saw all before it.
  std::string difference(int number, bool is_last) {
    for (const auto& [name, shape] : inputs) {
      HostValue y(DType::f32, shape);
      is_last ? executable->read(name + " after", y.bytes)
              : executable->read_previous(name + " after", y.bytes);
      for (std::size_t i = 0; i < y.size(); ++i) {
        double expected = 0;
        for (int run = 0; run <= number; ++run) expected = 2 * expected + written(run, i);
        if (y.at(i) != expected)
          return fmt::format("\n  {} after run {}: got {}, expected {}", name, number, y.at(i), expected);
      }
    }
    return {};
  }

  const std::map<std::string, Shape> inputs{{"images", {2, 3, 2, 2}}, {"vector", {5}}};
  Builder builder{{.format = single, .fill = integers(3), .name = "histories"}};
  std::unique_ptr<Session> session;
  std::unique_ptr<Executable> executable;
};

/// Inputs travel while earlier runs compute, and outputs while later ones do.
std::string host_is_ahead(Backend& backend) {
  Histories histories(backend);
  int run = 0;
  while (run < 9) histories.run(run++);
  std::string wrong = histories.difference(run - 1, true);
  if (!histories.executable->asynchronous()) return wrong;
  wrong += histories.difference(run - 2, false);
  for (; run < 16; ++run) {
    histories.run(run);
    wrong += histories.difference(run - 1, false);
  }
  return wrong;
}

/// A node as it would come with an op that is added to the enumeration after this backend was written.
std::string refuses_unknown_ops(Backend& backend) {
  Builder builder({.format = single, .fill = integers(3), .name = "unknown op"});
  const Value x = builder.input("x", {2, 3});
  Node node = builder.graph.node(builder.graph.value(relu(x).id).producer);
  if (!backend.refusal(builder.graph, node).empty()) return "\n  leaky_relu is refused";
  std::string wrong;
  for (const int number : {op_count, op_count + 1, 255}) {
    node.op = static_cast<Op>(number);
    if (backend.refusal(builder.graph, node).empty())
      wrong += fmt::format("\n  op {}, which does not exist, is accepted", number);
  }
  return wrong;
}

}  // namespace

std::vector<Check> interface_checks(Backend& tested) {
  const auto error = [&](const char* name, void (*call)(Compiled&)) {
    return Check{name, [&tested, call] { return check_error(tested, call); }};
  };
  return {
      error("interface/unknown-input", [](Compiled& c) { c.executable->write("no", c.first(80)); }),
      error("interface/unknown-output", [](Compiled& c) { c.executable->read("no", c.first(112)); }),
      error("interface/unknown-state", [](Compiled& c) { c.session->write_state("no", c.first(4)); }),
      error("interface/short-input", [](Compiled& c) { c.executable->write("x", c.first(79)); }),
      error("interface/short-output", [](Compiled& c) { c.executable->read("y", c.first(111)); }),
      error("interface/short-state", [](Compiled& c) { c.session->read_state("w", c.first(4)); }),
      error("interface/redeclared-state", redeclare),
      {"interface/fresh-states", [&tested] { return fresh_states_are_zero(tested); }},
      {"interface/unknown-op", [&tested] { return refuses_unknown_ops(tested); }},
      {"interface/profile", [&tested] { return profiles(tested); }},
      {"interface/host-ahead", [&tested] { return host_is_ahead(tested); }},
      {"interface/spoil", [&tested] { return spoils(tested); }},
      {"interface/memory", [&tested] { return counts_memory(tested); }},
  };
}

}  // namespace halfling::conformance
