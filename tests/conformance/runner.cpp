// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <algorithm>

#include "halfling/error.hpp"
#include "suite.hpp"

namespace halfling::conformance {
namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte guard{0xA5};

void check_supported(const Backend& backend, const Graph& graph) {
  for (const Node& node : graph.nodes())
    if (const std::string reason = backend.refusal(graph, node); !reason.empty())
      throw Refused({.what = "the backend refuses " + graph.describe(node.results[0]),
                     .where = {},
                     .got = reason,
                     .expected = "every op in every format that the device claims",
                     .hint = {}});
}

}  // namespace

HostValue read_guarded(const ValueInfo& info, const std::string& name,
                       const std::function<void(std::span<std::byte>)>& read) {
  HostValue value(info.dtype, info.shape);
  std::vector<std::byte> buffer(value.bytes.size() + 2 * guard_bytes, guard);
  const std::span inside = std::span(buffer).subspan(guard_bytes, value.bytes.size());
  read(inside);
  const auto untouched = [](std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == guard; });
  };
  if (!untouched(std::span(buffer).first(guard_bytes)) || !untouched(std::span(buffer).last(guard_bytes)))
    throw Error({.what = "reading wrote outside of the host buffer",
                 .where = name,
                 .got = {},
                 .expected = std::to_string(inside.size()) + " bytes",
                 .hint = {}});
  std::ranges::copy(inside, value.bytes.begin());
  return value;
}

Builder::Settings Program::smooth_settings(const Case& the_case) {
  return {.format = {"f64", DType::f64, DType::f64},
          .fill = the_case.fill,
          .order = the_case.order,
          .name = the_case.name,
          .smooth = true};
}

Program::Program(Backend& backend, const Case& the_case, const Format& format)
    : Program(backend, the_case,
              {.format = format, .fill = the_case.fill, .order = 1, .name = the_case.name}) {}

Program::Program(Backend& backend, const Case& the_case, const Builder::Settings& settings)
    : runs_(the_case.runs), session_(backend.open(0)) {
  add(backend, "", the_case.build, settings);
  if (the_case.then) add(backend, "then ", the_case.then, settings);
}

void Program::add(Backend& backend, const std::string& prefix, const std::function<void(Builder&)>& build,
                  const Builder::Settings& settings) {
  Part part{prefix, std::make_unique<Builder>(settings), nullptr};
  build(*part.builder);
  verify(part.builder->graph);
  check_supported(backend, part.builder->graph);
  part.executable = session_->compile(part.builder->graph);
  parts_.push_back(std::move(part));
}

Results Program::run(Memory before) {
  for (const Part& part : parts_) {
    for (const auto& [name, value] : part.builder->states()) session_->write_state(name, value.bytes);
    if (inputs_written_) continue;
    for (const auto& [name, value] : part.builder->inputs()) part.executable->write(name, value.bytes);
  }
  inputs_written_ = true;
  Results results;
  for (const Part& part : parts_) {
    for (int i = 0; i < runs_; ++i) {
      if (before == Memory::spoiled) part.executable->spoil();
      part.executable->run();
    }
    collect(part, results);
  }
  return results;
}

void Program::collect(const Part& part, Results& results) const {
  const Graph& graph = part.builder->graph;
  for (const Port& port : graph.outputs()) {
    const std::string name = part.prefix + "output " + port.name;
    results[name] = read_guarded(graph.value(port.value), name, [&](std::span<std::byte> bytes) {
      part.executable->read(port.name, bytes);
    });
  }
  for (const State& state : graph.states()) {
    const std::string name = part.prefix + "state " + state.name;
    results[name] = read_guarded(graph.value(state.first), name, [&](std::span<std::byte> bytes) {
      session_->read_state(state.name, bytes);
    });
  }
}

}  // namespace halfling::conformance
