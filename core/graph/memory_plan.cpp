// SPDX-License-Identifier: Apache-2.0
#include "halfling/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace halfling {
namespace {

struct Span {
  std::uint64_t begin, end;
};

/// The lowest offset at which `bytes` fit between spans sorted by their begin.
std::uint64_t lowest_gap(const std::vector<Span>& spans, std::uint64_t bytes) {
  std::uint64_t offset = 0;
  for (const Span& span : spans) {
    if (offset + bytes <= span.begin) break;
    offset = std::max(offset, span.end);
  }
  return offset;
}

std::uint64_t most_alive(const std::vector<Lifetime>& lifetimes, const std::vector<std::uint64_t>& sizes) {
  int steps = 0;
  for (const Lifetime& lifetime : lifetimes) steps = std::max(steps, lifetime.last + 1);
  std::vector<std::int64_t> change(static_cast<std::size_t>(steps) + 1, 0);
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    change[static_cast<std::size_t>(lifetimes[i].first)] += static_cast<std::int64_t>(sizes[i]);
    change[static_cast<std::size_t>(lifetimes[i].last) + 1] -= static_cast<std::int64_t>(sizes[i]);
  }
  std::int64_t alive = 0, most = 0;
  for (const std::int64_t delta : change) most = std::max(most, alive += delta);
  return static_cast<std::uint64_t>(most);
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, std::uint64_t alignment) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  std::vector<std::uint64_t> sizes;
  for (const Lifetime& lifetime : lifetimes)
    sizes.push_back((lifetime.bytes + alignment - 1) / alignment * alignment);
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    if (sizes[i] == 0) continue;
    std::vector<Span> taken;
    for (const std::size_t j : placed)
      if (lifetimes[j].first <= lifetimes[i].last && lifetimes[i].first <= lifetimes[j].last)
        taken.push_back({plan.offsets[j], plan.offsets[j] + sizes[j]});
    std::ranges::sort(taken, {}, &Span::begin);
    plan.offsets[i] = lowest_gap(taken, sizes[i]);
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + sizes[i]);
    placed.push_back(i);
  }
  plan.lower_bound = most_alive(lifetimes, sizes);
  return plan;
}

std::vector<Lifetime> lifetimes_of(const Graph& graph) {
  std::vector<Lifetime> lifetimes(graph.values().size());
  const auto at = [&](ValueId id) -> Lifetime& { return lifetimes[static_cast<std::size_t>(id)]; };
  const int steps = static_cast<int>(graph.nodes().size());
  for (int step = 0; step < steps; ++step) {
    const Node& node = graph.node(step);
    for (const ValueId operand : node.operands) at(operand).last = step;
    for (const ValueId result : node.results) {
      const ValueInfo& info = graph.value(result);
      const bool elsewhere = class_of(node.op) == OpClass::source;
      at(result) = {elsewhere ? 0 : static_cast<std::uint64_t>(info.shape.elements()) * size_of(info.dtype),
                    step, step};
    }
  }
  for (const Port& port : graph.outputs()) at(port.value).last = std::max(steps - 1, 0);
  for (const State& state : graph.states()) at(state.latest).bytes = 0;
  return lifetimes;
}

}  // namespace halfling
