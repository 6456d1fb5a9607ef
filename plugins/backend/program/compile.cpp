// SPDX-License-Identifier: Apache-2.0
#include "compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halfling/cost.hpp"
#include "halfling/error.hpp"
#include "placement.hpp"
#include "recompute.hpp"
#include "rewrite.hpp"

namespace halfling::program {
namespace {

std::string stage_name(Stage stage) {
  return stage == Stage::forward ? "forward" : stage == Stage::backward ? "backward" : "update";
}

std::string node_name(const Graph& graph, const Node& node, std::size_t items) {
  const DType dtype = graph.value(node.results[0]).dtype;
  return fmt::format("{}/{} {} {}{}", node.scope, name_of(node.op), stage_name(node.stage), name_of(dtype),
                     items > 1 ? fmt::format(" +{}", items - 1) : "");
}

const Slot& find(const Program& program, const std::vector<std::string>& names, const std::vector<Ref>& refs,
                 std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return program.slot(refs[i]);
  throw Error({.what = fmt::format("the graph has no input or output \"{}\"", name)});
}

}  // namespace

std::vector<std::byte*> Compiled::addresses(std::byte* base) const {
  std::vector<std::byte*> result;
  for (std::size_t i = 0; i < program.places.size(); ++i) {
    std::byte* fixed = program.places[i].fixed;
    result.push_back(fixed != nullptr ? fixed : base + arena.offsets[i]);
  }
  return result;
}

const Slot& Compiled::input(std::string_view name) const {
  return find(program, inputs, program.inputs, name);
}
const Slot& Compiled::output(std::string_view name) const {
  return find(program, outputs, program.outputs, name);
}

Compiled compile(const Graph& graph, const StateLookup& states, const Memory& memory, const Traits& traits) {
  Compiled result;
  for (const Port& port : graph.inputs()) result.inputs.push_back(port.name);
  for (const Port& port : graph.outputs()) result.outputs.push_back(port.name);
  Program& program = result.program = lower(graph, states, memory);
  accumulate_in_products(graph, program, traits.adds);
  cast_in_updates(graph, program);
  keep_half_copies(graph, states, memory, program);
  result.clusters = fuse(program);
  if (recompute_cheap_values(program, result.clusters)) result.clusters = fuse(program);
  if (traits.groups_updates) result.clusters = group_updates(graph, program, std::move(result.clusters));
  choose_places(program, result.clusters);
  share_places(program, result.clusters);
  result.arena = plan_places(program, result.clusters);
  return result;
}

ProfileEntry profile_entry(const Graph& graph, const Program& program, const std::vector<int>& items,
                           std::string implementation) {
  ProfileEntry result;
  result.implementation = std::move(implementation);
  NodeId last = -1;
  std::vector<int> places;
  for (const int index : items) {
    const Item& item = program.items[static_cast<std::size_t>(index)];
    if (item.node >= 0 && item.node != last) {
      result.flops += cost_of(graph, graph.node(item.node)).flops;
      result.nodes.push_back(item.node);
      last = item.node;
    }
    for (const auto* list : {&item.in, &item.out})
      for (const Ref ref : *list)
        if (const int place = program.place(ref); place >= 0) places.push_back(place);
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const int place : places)
    result.bytes += static_cast<double>(program.places[static_cast<std::size_t>(place)].bytes);
  const Item& first = program.items[static_cast<std::size_t>(items.front())];
  result.name = first.node < 0 ? "states" : node_name(graph, graph.node(first.node), items.size());
  return result;
}

}  // namespace halfling::program
