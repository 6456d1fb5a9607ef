// SPDX-License-Identifier: Apache-2.0
// The readable form of a graph: one line per node.
#include <fmt/format.h>

#include "halfling/graph.hpp"

namespace halfling {
namespace {

struct AttributeText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const NameAttributes& a) const { return " " + a.name; }
  std::string operator()(const ConstantAttributes& a) const { return fmt::format(" {}", a.value); }
  std::string operator()(const MatmulAttributes& a) const {
    return fmt::format("{}{}", a.transpose_a ? " transpose_a" : "", a.transpose_b ? " transpose_b" : "");
  }
  std::string operator()(const ConvAttributes& a) const {
    return fmt::format(" stride={} padding={}", a.stride, a.padding);
  }
  std::string operator()(const EpsilonAttributes& a) const { return fmt::format(" epsilon={}", a.epsilon); }
  std::string operator()(const AffineAttributes& a) const {
    return fmt::format(" *{} +{}", a.scale, a.shift);
  }
  std::string operator()(const SlopeAttributes& a) const { return fmt::format(" slope={}", a.slope); }
  std::string operator()(const AxesAttributes& a) const { return fmt::format(" axes={:b}", a.mask); }
  std::string operator()(const TargetAttributes& a) const { return fmt::format(" target={}", a.target); }
  std::string operator()(const ShapeAttributes&) const { return {}; }
  std::string operator()(const AxisAttributes& a) const {
    return fmt::format(" axis={} begin={} length={}", a.axis, a.begin, a.length);
  }
  std::string operator()(const CastAttributes&) const { return {}; }
  std::string operator()(const RandomAttributes& a) const {
    return fmt::format(" low={} high={} stream={}", a.low, a.high, a.stream);
  }
  std::string operator()(const ScheduleAttributes& a) const {
    constexpr const char* kinds[] = {"constant", "linear", "cosine", "step"};
    return fmt::format(" {} rate={} warmup={} from {} length={} to {} every={} *{}",
                       kinds[static_cast<int>(a.kind)], a.rate, a.warmup, a.warmup_factor, a.length,
                       a.end_factor, a.every, a.factor);
  }
  std::string operator()(const AdamAttributes& a) const {
    return fmt::format(" beta1={} beta2={} epsilon={}", a.beta1, a.beta2, a.epsilon);
  }
  std::string operator()(const MovingAverageAttributes& a) const {
    return fmt::format(" momentum={} correction={}", a.momentum, a.correction);
  }
};

}  // namespace

std::string text(const Graph& graph) {
  constexpr const char* stages[] = {"", " backward", " update"};
  std::string out;
  for (const Node& node : graph.nodes()) {
    std::string results, operands;
    for (const ValueId id : node.results)
      results += fmt::format("{}%{}:{}{}", results.empty() ? "" : ", ", id, name_of(graph.value(id).dtype),
                             graph.value(id).shape.text());
    for (const ValueId id : node.operands) operands += fmt::format("{}%{}", operands.empty() ? "" : ", ", id);
    out += fmt::format("{} = {}({}){} {}{}{}\n", results, name_of(node.op), operands,
                       std::visit(AttributeText{}, node.attributes), name_of(node.compute),
                       stages[static_cast<int>(node.stage)], node.scope.empty() ? "" : " @" + node.scope);
  }
  for (const State& state : graph.states())
    if (state.latest != state.first) out += fmt::format("{} <- %{}\n", state.name, state.latest);
  for (const Port& port : graph.outputs()) out += fmt::format("{} = %{}\n", port.name, port.value);
  return out;
}

}  // namespace halfling
