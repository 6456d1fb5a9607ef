// SPDX-License-Identifier: Apache-2.0
#include "train/profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "iteration/batch_inputs.hpp"
#include "iteration/host_value.hpp"

namespace halfling {
namespace {

const char* work_of(const Node& node) {
  if (node.op == Op::cast) return "cast";
  switch (class_of(node.op)) {
    case OpClass::contraction:
      return "contraction";
    case OpClass::normalization:
      return "normalization";
    case OpClass::pointwise:
    case OpClass::reduction:
    case OpClass::loss:
      return "pointwise";
    case OpClass::random:
      return "random";
    case OpClass::update:
      return "update";
    case OpClass::source:
    case OpClass::shape:
      break;
  }
  return "movement";
}

/// A step that does several things is of the kind that stands first.
constexpr std::array<std::string_view, 7> order{"contraction", "update", "normalization", "pointwise",
                                                "random",      "cast",   "movement"};

/// Updates are one, whatever parameters they are of.
WorkTime time_of(const Graph& graph, const ProfileEntry& step) {
  WorkTime time{.work = "movement", .ms = 1000 * step.seconds, .flops = step.flops, .bytes = step.bytes};
  const auto rank = [](std::string_view work) { return std::ranges::find(order, work); };
  for (const NodeId id : step.nodes) {
    if (id < 0 || static_cast<std::size_t>(id) >= graph.nodes().size()) continue;
    const Node& node = graph.node(id);
    const std::string_view work = node.stage == Stage::update ? "update" : work_of(node);
    if (rank(work) < rank(time.work)) time.work = work;
    if (time.layer.empty()) time.layer = node.scope;
  }
  if (time.work == "update") time.layer.clear();
  return time;
}

}  // namespace

std::vector<WorkTime> work_times(const Graph& graph, std::span<const ProfileEntry> steps) {
  std::vector<WorkTime> times;
  for (const ProfileEntry& step : steps) {
    const WorkTime time = time_of(graph, step);
    const auto found = std::ranges::find_if(
        times, [&](const WorkTime& other) { return other.layer == time.layer && other.work == time.work; });
    if (found == times.end()) {
      times.push_back(time);
      continue;
    }
    found->ms += time.ms;
    found->flops += time.flops;
    found->bytes += time.bytes;
  }
  return times;
}

namespace {

constexpr double wanted_seconds = 2;
constexpr std::int64_t most_iterations = 10;

/// Seconds of so many iterations, until their results are there.
double timed(const IterationGraph& iteration, Executable& executable, std::int64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < count; ++i) {
    executable.run();
    read_number(executable, iteration.graph, "loss." + iteration.operations.front(), 0);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

WorkProfile profile_iteration(const IterationGraph& iteration, Executable& executable, const Batch& batches) {
  write_batches(executable, batches, iteration.batches);
  executable.profile(true);
  const double first = timed(iteration, executable, 1);
  const auto count = std::clamp(static_cast<std::int64_t>(wanted_seconds / std::max(first, 1e-6)),
                                std::int64_t{1}, most_iterations);
  executable.profile(true);
  WorkProfile profile{.iterations = count};
  profile.ms = 1000 * timed(iteration, executable, count) / static_cast<double>(count);
  profile.times = work_times(iteration.graph, executable.profile());
  executable.profile(false);
  return profile;
}

}  // namespace halfling
