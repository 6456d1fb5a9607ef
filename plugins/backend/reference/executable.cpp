// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include <algorithm>
#include <limits>

#include "halfling/error.hpp"

namespace halfling::reference {
namespace {

ValueId find_port(const std::vector<Port>& ports, std::string_view name, const char* kind) {
  const auto found = std::ranges::find(ports, name, &Port::name);
  if (found != ports.end()) return found->value;
  throw Error({.what = "the graph has no " + std::string(kind) + " of this name",
               .where = {},
               .got = std::string(name),
               .expected = {},
               .hint = {}});
}

}  // namespace

GraphExecutable::GraphExecutable(const Graph& graph, std::shared_ptr<States> states)
    : graph_(graph), states_(std::move(states)) {
  for (const ValueInfo& value : graph_.values()) values_.emplace_back(value.dtype, value.shape);
  for (const Node& node : graph_.nodes()) {
    Call call{.node = &node, .operands = {}, .results = {}};
    for (const ValueId id : node.operands) call.operands.push_back(&values_[static_cast<std::size_t>(id)]);
    for (const ValueId id : node.results) call.results.push_back(&values_[static_cast<std::size_t>(id)]);
    if (node.op == Op::constant) {
      const double value = std::get<ConstantAttributes>(node.attributes).value;
      std::ranges::fill(call.out().elements,
                        is_float(call.out().dtype) ? round_to(call.out().dtype, value) : value);
    }
    if (const Kernel kernel = kernel_of(node.op)) steps_.push_back({kernel, std::move(call)});
  }
}

void GraphExecutable::write(std::string_view input, std::span<const std::byte> data) {
  load(values_[static_cast<std::size_t>(find_port(graph_.inputs(), input, "input"))], input, data);
}

void GraphExecutable::read(std::string_view output, std::span<std::byte> data) {
  store(values_[static_cast<std::size_t>(find_port(graph_.outputs(), output, "output"))], output, data);
}

void GraphExecutable::run() {
  using Clock = std::chrono::steady_clock;
  read_states();
  for (Step& step : steps_) {
    const auto begin = profiling_ ? Clock::now() : Clock::time_point{};
    step.kernel(step.call);
    if (profiling_) step.time += Clock::now() - begin;
  }
  if (profiling_) ++profiled_runs_;
  leave_states();
}

void GraphExecutable::read_states() {
  for (const State& state : graph_.states())
    values_[static_cast<std::size_t>(state.first)].elements = states_->at(state.name).elements;
}

void GraphExecutable::leave_states() {
  for (const State& state : graph_.states())
    states_->at(state.name).elements = values_[static_cast<std::size_t>(state.latest)].elements;
}

MemoryUse GraphExecutable::memory() const {
  MemoryUse use;
  for (const State& state : graph_.states())
    use.states += states_->at(state.name).elements.size() * sizeof(double);
  for (const Tensor& value : values_) use.arena += value.elements.size() * sizeof(double);
  return use;
}

std::vector<ProfileEntry> GraphExecutable::profile() const {
  std::vector<ProfileEntry> entries;
  for (const Step& step : steps_) entries.push_back(entry(step));
  return entries;
}

void GraphExecutable::spoil() {
  for (const Step& step : steps_)
    for (Tensor* result : step.call.results)
      std::ranges::fill(result->elements, std::numeric_limits<double>::quiet_NaN());
}

ProfileEntry GraphExecutable::entry(const Step& step) const {
  static constexpr const char* stages[] = {"forward", "backward", "update"};
  const Node& node = *step.call.node;
  ProfileEntry entry{.name = node.scope + "/" + std::string(name_of(node.op)) + " " +
                             stages[static_cast<std::size_t>(node.stage)] + " " +
                             std::string(name_of(step.call.out().dtype)),
                     .implementation = "plain loops",
                     .seconds = step.time.count() / std::max(profiled_runs_, 1)};
  entry.nodes.push_back(static_cast<NodeId>(&node - graph_.nodes().data()));
  for (const Tensor* operand : step.call.operands) entry.bytes += static_cast<double>(operand->byte_size());
  for (const Tensor* result : step.call.results) entry.bytes += static_cast<double>(result->byte_size());
  return entry;
}

}  // namespace halfling::reference
