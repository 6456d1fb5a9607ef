// SPDX-License-Identifier: Apache-2.0
#include "halfling/backend.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "loops.hpp"
#include "program/refusal.hpp"
#include "program/states.hpp"

namespace loops {
namespace {

constexpr std::align_val_t alignment{64};

class HostMemory final : public Memory {
 public:
  Block allocate(std::size_t bytes) const override {
    if (bytes == 0) return {};
    auto* data = static_cast<std::byte*>(::operator new(bytes, alignment));
    std::fill_n(data, bytes, std::byte{});
    return {data, bytes, [](std::byte* p) { ::operator delete(p, alignment); }};
  }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes) const override {
    std::copy_n(from, bytes, to);
  }
};

std::string refusal_of(const Graph& graph, const Node& node) {
  if (!has(node.op)) return "this backend has a few ops only";
  const auto is_half = [&](ValueId id) { return halfling::is_half(graph.value(id).dtype); };
  if (std::ranges::any_of(node.operands, is_half) || std::ranges::any_of(node.results, is_half))
    return "this backend has no half formats";
  return program::refusal_of(graph, node, {DType::f32});
}

class LoopsExecutable final : public Executable {
 public:
  LoopsExecutable(const Graph& graph, StateLookup states)
      : states_(std::move(states)),
        compiled_(compile(graph, states_, HostMemory{}, {.adds = [](DType t) { return t == DType::f32; }})),
        arena_(HostMemory{}.allocate(compiled_.arena.bytes)),
        addresses_(compiled_.addresses(arena_.data())) {
    const StepContext context{graph, compiled_.program, addresses_};
    for (const Cluster& cluster : compiled_.clusters) {
      const Item& first = compiled_.program.items[static_cast<std::size_t>(cluster.items.front())];
      steps_.push_back(cluster.fused ? tile_step(context, cluster) : item_step(context, first));
      entries_.push_back(profile_entry(graph, compiled_.program, cluster.items, "loops"));
    }
  }

  void write(std::string_view input, std::span<const std::byte> data) override {
    const Slot& slot = compiled_.input(input);
    check_size("loops", input, data.size(), bytes_of(slot));
    to_physical(slot.logical, size_of(slot.dtype), data.data(), address(slot));
  }
  void read(std::string_view output, std::span<std::byte> data) override {
    const Slot& slot = compiled_.output(output);
    check_size("loops", output, data.size(), bytes_of(slot));
    to_logical(slot.logical, size_of(slot.dtype), address(slot), data.data());
  }

  void run() override {
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto start = Clock::now();
      steps_[i]();
      if (profiling_) entries_[i].seconds += std::chrono::duration<double>(Clock::now() - start).count();
    }
    if (profiling_) ++runs_;
  }

  MemoryUse memory() const override {
    MemoryUse use{.arena = arena_.bytes()};
    for (const auto& state : states_) use.states += state->block.bytes();
    for (const Block& block : compiled_.program.blocks) use.workspace += block.bytes();
    return use;
  }
  void profile(bool on) override {
    profiling_ = on;
    if (!on) return;
    runs_ = 0;
    for (ProfileEntry& entry : entries_) entry.seconds = 0;
  }
  std::vector<ProfileEntry> profile() const override {
    std::vector<ProfileEntry> result = entries_;
    for (ProfileEntry& entry : result) entry.seconds /= std::max(runs_, 1);
    return result;
  }
  void spoil() override { std::fill_n(arena_.data(), arena_.bytes(), std::byte{0xff}); }

 private:
  std::byte* address(const Slot& slot) const {
    return addresses_[static_cast<std::size_t>(compiled_.program.slot(slot.root).place)];
  }

  StateLookup states_;
  Compiled compiled_;
  Block arena_;
  std::vector<std::byte*> addresses_;
  std::vector<loops::Step> steps_;
  std::vector<ProfileEntry> entries_;
  bool profiling_ = false;
  int runs_ = 0;
};

class LoopsSession final : public Session {
 public:
  std::unique_ptr<Executable> compile(const Graph& graph) override {
    check_nodes("loops", graph, refusal_of);
    return std::make_unique<LoopsExecutable>(graph, states_.declare(graph));
  }
  void write_state(std::string_view name, std::span<const std::byte> data) override {
    StateMemory& state = states_.find(name);
    check_size("loops", name, data.size(), state.block.bytes());
    to_physical(state.logical, size_of(state.dtype), data.data(), state.block.data());
  }
  void read_state(std::string_view name, std::span<std::byte> data) const override {
    const StateMemory& state = states_.find(name);
    check_size("loops", name, data.size(), state.block.bytes());
    to_logical(state.logical, size_of(state.dtype), state.block.data(), data.data());
  }

 private:
  HostMemory memory_;
  States states_{"loops", memory_};
};

class Loops final : public Backend {
 public:
  explicit Loops(const Options&) {}
  std::vector<Device> devices() const override {
    return {
        {.name = "one thread", .formats = {{DType::f32, FormatSupport::native}}, .library = "plain loops"}};
  }
  int preference() const override { return -1; }
  std::string refusal(const Graph& graph, const Node& node) const override { return refusal_of(graph, node); }
  std::unique_ptr<Session> open(int) override { return std::make_unique<LoopsSession>(); }
};

}  // namespace
}  // namespace loops

using loops::Loops;
HALFLING_PLUGIN(Loops, "loops", "1.0.0", "plain loops in float32, for a few ops", halfling::no_options)
