// SPDX-License-Identifier: Apache-2.0
// A compiled graph: lowered, fused, placed, and turned into steps, all before the first run.
#include <fmt/format.h>

#include <chrono>

#include "graph/op_table.hpp"
#include "halfling/error.hpp"
#include "processor.hpp"
#include "program/placement.hpp"
#include "program/recompute.hpp"
#include "program/rewrite.hpp"
#include "session.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

StepPointer make_step(const StepContext& context, const Cluster& cluster) {
  const Item& item = context.program.items[static_cast<std::size_t>(cluster.items.front())];
  if (cluster.fused) return make_tile_step(context, cluster);
  if (item.kind == ItemKind::copy) return make_shape_step(context, item);
  const Op op = context.graph.node(item.node).op;
  switch (class_of(op)) {
    case OpClass::contraction:
      return make_contraction_step(context, item);
    case OpClass::random:
      return make_random_step(context, item);
    case OpClass::reduction:
      return make_reduction_step(context, item);
    case OpClass::loss:
      return make_loss_step(context, item);
    case OpClass::update:
      return op == Op::adam ? make_adam_step(context, item) : make_random_step(context, item);
    default:
      return make_shape_step(context, item);
  }
}

std::string stage_name(Stage stage) {
  return stage == Stage::forward ? "forward" : stage == Stage::backward ? "backward" : "update";
}

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Graph& graph, StateLookup states, const Team& team, bool emulate)
      : states_(std::move(states)), team_(team), program_(lower(graph, states_, HostMemory{})) {
    for (const Port& port : graph.inputs()) inputs_.push_back(port.name);
    for (const Port& port : graph.outputs()) outputs_.push_back(port.name);
    for (const State& state : graph.states()) changes_.push_back(state.latest != state.first);
    rewrite(graph, emulate);
    std::vector<Cluster> clusters = fuse(program_);
    if (recompute_cheap_values(program_, clusters)) clusters = fuse(program_);
    choose_places(program_, clusters);
    share_places(program_, clusters);
    place(clusters);
    const StepContext context{graph, program_, team_, addresses_, emulate};
    std::size_t scratch = 0;
    for (const Cluster& cluster : clusters) {
      steps_.push_back(make_step(context, cluster));
      entries_.push_back(entry(graph, cluster, *steps_.back()));
      scratch = std::max(scratch, steps_.back()->scratch_bytes());
    }
    scratch_ = host_block(scratch);
    for (const StepPointer& step : steps_) step->use_scratch(scratch_.data());
  }

  void write(std::string_view input, std::span<const std::byte> data) override {
    const Slot& slot = find(inputs_, program_.inputs, input);
    check_size(input, data.size(), bytes_of(slot));
    to_physical(slot.logical, size_of(slot.dtype), data.data(), address(slot));
  }

  void run() override {
    refresh_halves();
    profiling_ ? run_timed() : run_steps();
    mark_halves();
  }

  void read(std::string_view output, std::span<std::byte> data) override {
    const Slot& slot = find(outputs_, program_.outputs, output);
    check_size(output, data.size(), bytes_of(slot));
    to_logical(slot.logical, size_of(slot.dtype), address(slot), data.data());
  }

  MemoryUse memory() const override {
    MemoryUse use;
    for (const auto& state : states_) use.states += state->block.bytes();
    use.arena = arena_.bytes();
    use.workspace = scratch_.bytes();
    for (const Block& block : program_.blocks) use.workspace += block.bytes();
    for (const HalfCopy* half : program_.kept) use.workspace += half == nullptr ? 0 : half->block.bytes();
    return use;
  }

  void profile(bool on) override {
    profiling_ = on;
    if (!on) return;
    profiled_runs_ = 0;
    for (ProfileEntry& entry : entries_) entry.seconds = 0;
  }

  std::vector<ProfileEntry> profile() const override {
    std::vector<ProfileEntry> result = entries_;
    for (ProfileEntry& entry : result) entry.seconds /= std::max(profiled_runs_, 1);
    return result;
  }

 private:
  void rewrite(const Graph& graph, bool emulate) {
    const bool native_bf16 = processor().native_bf16 && !emulate;
    accumulate_in_products(
        graph, program_,
        native_bf16 ? [](DType t) { return t == DType::f32 || t == DType::bf16; }
                    : [](DType t) { return t == DType::f32; });
    cast_in_updates(graph, program_);
    keep_half_copies(graph, states_, HostMemory{}, program_);
  }

  void run_steps() {
    for (const StepPointer& step : steps_) step->run();
  }

  void run_timed() {
    ++profiled_runs_;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      steps_[i]->run();
      entries_[i].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }

  /// Half copies that something else has left behind are made anew.
  void refresh_halves() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      HalfCopy* half = program_.kept[i];
      if (half == nullptr) continue;
      const StateMemory& state = *states_[i];
      if (!half->current)
        team_.split(state.logical.elements(), 1, [&](Range range) {
          kernels().store(half->dtype, reinterpret_cast<const float*>(state.block.data()) + range.begin,
                          half->block.data() + static_cast<std::size_t>(range.begin) * size_of(half->dtype),
                          range.end - range.begin);
        });
      half->current = false;  // until the run is through
    }
  }

  void mark_halves() {
    for (std::size_t i = 0; i < states_.size(); ++i)
      for (const auto& half : states_[i]->halves)
        if (half.get() == program_.kept[i])
          half->current = true;
        else if (changes_[i])
          half->current = false;
  }

  void place(const std::vector<Cluster>& clusters) {
    const MemoryPlan plan = plan_places(program_, clusters);
    arena_ = host_block(plan.bytes);
    for (std::size_t i = 0; i < program_.places.size(); ++i) {
      std::byte* fixed = program_.places[i].fixed;
      addresses_.push_back(fixed != nullptr ? fixed : arena_.data() + plan.offsets[i]);
    }
  }

  /// Named by its first node; FLOPs of all nodes, bytes that enter and leave the step.
  ProfileEntry entry(const Graph& graph, const Cluster& cluster, const Step& step) const {
    ProfileEntry result;
    result.implementation = step.implementation();
    NodeId last = -1;
    std::vector<int> places;
    for (const int index : cluster.items) {
      const Item& item = program_.items[static_cast<std::size_t>(index)];
      if (item.node >= 0 && item.node != last) result.flops += cost_of(graph, graph.node(item.node)).flops;
      if (item.node >= 0) last = item.node;
      for (const auto* list : {&item.in, &item.out})
        for (const Ref ref : *list)
          if (const int place = program_.place(ref); place >= 0) places.push_back(place);
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const int place : places)
      result.bytes += static_cast<double>(program_.places[static_cast<std::size_t>(place)].bytes);
    const Item& first = program_.items[static_cast<std::size_t>(cluster.items.front())];
    result.name = first.node < 0 ? "states" : node_name(graph, graph.node(first.node), cluster.items.size());
    return result;
  }

  static std::string node_name(const Graph& graph, const Node& node, std::size_t items) {
    const DType dtype = graph.value(node.results[0]).dtype;
    return fmt::format("{}/{} {} {}{}", node.scope, name_of(node.op), stage_name(node.stage), name_of(dtype),
                       items > 1 ? fmt::format(" +{}", items - 1) : "");
  }

  std::byte* address(const Slot& slot) const {
    return addresses_[static_cast<std::size_t>(program_.slot(slot.root).place)];
  }

  const Slot& find(const std::vector<std::string>& names, const std::vector<Ref>& refs,
                   std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return program_.slot(refs[i]);
    throw Error({.what = fmt::format("the graph has no input or output \"{}\"", name),
                 .where = "backend cpu",
                 .got = "",
                 .expected = "",
                 .hint = ""});
  }

  StateLookup states_;
  Team team_;
  Program program_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<bool> changes_;  // by state
  Block arena_, scratch_;
  std::vector<std::byte*> addresses_;
  std::vector<StepPointer> steps_;
  std::vector<ProfileEntry> entries_;
  bool profiling_ = false;
  int profiled_runs_ = 0;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const Graph& graph, StateLookup states, const Team& team,
                                            bool emulate) {
  return std::make_unique<CpuExecutable>(graph, std::move(states), team, emulate);
}

}  // namespace halfling::cpu
