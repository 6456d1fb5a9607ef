// SPDX-License-Identifier: Apache-2.0
// A compiled graph: lowered, fused, placed, and turned into steps, all before the first run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "processor.hpp"
#include "program/compile.hpp"
#include "session.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

StepPointer make_step(const StepContext& context, const Cluster& cluster) {
  const Item& item = context.program.items[static_cast<std::size_t>(cluster.items.front())];
  if (cluster.fused) return make_tile_step(context, cluster);
  if (item.kind == ItemKind::copy) return make_shape_step(context, item);
  const Op op = context.graph.node(item.node).op;
  switch (class_of(op)) {  // no default: the compiler asks about a new class
    case OpClass::contraction:
      return make_contraction_step(context, item);
    case OpClass::random:
      return make_random_step(context, item);
    case OpClass::reduction:
      return make_reduction_step(context, item);
    case OpClass::loss:
      return make_loss_step(context, item);
    case OpClass::update:
      if (op == Op::schedule) return make_schedule_step(context, item);
      return op == Op::adam ? make_adam_step(context, item) : make_random_step(context, item);
    case OpClass::shape:
      return make_shape_step(context, item);
    case OpClass::source:
    case OpClass::normalization:
    case OpClass::pointwise:
      break;  // lowering leaves none of them whole
  }
  no_way_to_run(op);
}

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Graph& graph, StateLookup states, const Team& team, bool emulate)
      : states_(std::move(states)),
        team_(team),
        compiled_(prepare(graph, emulate)),
        halves_(graph, states_, compiled_.program),
        arena_(host_block(compiled_.arena.bytes)),
        addresses_(compiled_.addresses(arena_.data())) {
    const StepContext context{{graph, compiled_.program, addresses_}, team_, emulate};
    std::size_t scratch = 0;
    for (const Cluster& cluster : compiled_.clusters) {
      steps_.push_back(make_step(context, cluster));
      entries_.push_back(
          profile_entry(graph, compiled_.program, cluster.items, steps_.back()->implementation()));
      scratch = std::max(scratch, steps_.back()->scratch_bytes());
    }
    scratch_ = host_block(scratch);
    for (const StepPointer& step : steps_) step->use_scratch(scratch_.data());
  }

  void write(std::string_view input, std::span<const std::byte> data) override {
    const Slot& slot = compiled_.input(input);
    check_size("cpu", input, data.size(), bytes_of(slot));
    to_physical(slot.logical, size_of(slot.dtype), data.data(), address(slot));
  }

  void run() override {
    team_.lead();
    halves_.refresh([this](const StateMemory& state, HalfCopy& half) { convert(state, half); });
    profiling_ ? run_timed() : run_steps();
    halves_.mark();
  }

  void read(std::string_view output, std::span<std::byte> data) override {
    const Slot& slot = compiled_.output(output);
    check_size("cpu", output, data.size(), bytes_of(slot));
    to_logical(slot.logical, size_of(slot.dtype), address(slot), data.data());
  }

  MemoryUse memory() const override {
    MemoryUse use;
    for (const auto& state : states_) use.states += state->block.bytes();
    use.arena = arena_.bytes();
    use.workspace = scratch_.bytes();
    for (const Block& block : compiled_.program.blocks) use.workspace += block.bytes();
    for (const HalfCopy* half : compiled_.program.kept)
      use.workspace += half == nullptr ? 0 : half->block.bytes();
    return use;
  }

  std::string remark() const override {
    if (team_.threads() == team_.wanted()) return {};
    return fmt::format("computes on {} of {} threads: OpenMP does not give more (see OMP_THREAD_LIMIT)",
                       team_.threads(), team_.wanted());
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

  void spoil() override {
    for (const Block* block : {&arena_, &scratch_})
      std::fill_n(block->data(), block->bytes(), std::byte{0xff});
  }

 private:
  Compiled prepare(const Graph& graph, bool emulate) const {
    const bool native_bf16 = processor().native_bf16 && !emulate;
    return program::compile(graph, states_, HostMemory{},
                            {.adds = native_bf16 ? [](DType t) { return t == DType::f32 || t == DType::bf16; }
                                                 : [](DType t) { return t == DType::f32; }});
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

  void convert(const StateMemory& state, HalfCopy& half) const {
    team_.split(state.logical.elements(), 1, [&](Range range) {
      kernels().store(half.dtype, reinterpret_cast<const float*>(state.block.data()) + range.begin,
                      half.block.data() + static_cast<std::size_t>(range.begin) * size_of(half.dtype),
                      range.end - range.begin);
    });
  }

  std::byte* address(const Slot& slot) const {
    return addresses_[static_cast<std::size_t>(compiled_.program.slot(slot.root).place)];
  }

  StateLookup states_;
  Team team_;
  Compiled compiled_;
  HalfCopies halves_;
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
