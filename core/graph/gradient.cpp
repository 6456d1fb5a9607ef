// SPDX-License-Identifier: Apache-2.0
#include "halfling/gradient.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "graph/op_table.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

class Differentiation {
 public:
  explicit Differentiation(Graph& graph)
      : graph_(graph),
        last_(static_cast<NodeId>(graph.nodes().size())),
        gradients_(graph.values().size(), no_value),
        reaches_target_(graph.values().size(), false) {}

  std::vector<ValueId> run(std::span<const ValueId> losses, std::span<const ValueId> seeds,
                           std::span<const ValueId> targets) {
    mark(targets);
    const Graph::Context outer = graph_.context();
    graph_.context().stage = Stage::backward;
    for (std::size_t i = 0; i < losses.size(); ++i) accumulate(losses[i], seeds[i]);
    for (NodeId id = last_ - 1; id >= 0; --id) propagate(id);
    graph_.context() = outer;
    std::vector<ValueId> result;
    for (const ValueId target : targets) result.push_back(gradients_[static_cast<std::size_t>(target)]);
    return result;
  }

 private:
  /// Which values depend on a target: only through those does the walk go.
  void mark(std::span<const ValueId> targets) {
    for (const ValueId target : targets) reaches_target_[static_cast<std::size_t>(target)] = true;
    for (NodeId id = 0; id < last_; ++id) {
      const Node& node = graph_.node(id);
      if (node.op == Op::detach) continue;
      for (const ValueId operand : node.operands)
        if (reaches_target_[static_cast<std::size_t>(operand)])
          for (const ValueId result : node.results)
            if (is_float(graph_.value(result).dtype))
              reaches_target_[static_cast<std::size_t>(result)] = true;
    }
  }

  void accumulate(ValueId value, ValueId gradient) {
    ValueId& known = gradients_[static_cast<std::size_t>(value)];
    known = known == no_value ? gradient : graph_.append_value(Op::add, {known, gradient});
  }

  void propagate(NodeId id) {
    const Node node = graph_.node(id);
    std::vector<ValueId> gradients;
    bool any = false;
    for (const ValueId result : node.results) {
      gradients.push_back(gradients_[static_cast<std::size_t>(result)]);
      any = any || gradients.back() != no_value;
    }
    bool wanted = false;
    for (const ValueId operand : node.operands)
      wanted = wanted || reaches_target_[static_cast<std::size_t>(operand)];
    if (!any || !wanted) return;
    const OpInfo& info = info_of(node.op);
    if (info.gradient == nullptr)
      throw Error({.what = fmt::format("{} has no gradient rule", info.name),
                   .where = node.scope,
                   .got = "a loss that depends on it",
                   .expected = "a path of differentiable ops",
                   .hint = node.op == Op::gradient_of ? "apply the precision pass first, which replaces it"
                                                      : "detach() the value, or build it from other ops"});
    graph_.context().scope = node.scope;
    graph_.context().compute = node.compute;
    const std::vector<ValueId> found = info.gradient({graph_, node, gradients});
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != no_value && reaches_target_[static_cast<std::size_t>(node.operands[i])]) {
        check_like(node, node.operands[i], found[i]);
        accumulate(node.operands[i], found[i]);
      }
  }

  /// A gradient of another shape would broadcast, and be wrong without a word.
  void check_like(const Node& node, ValueId operand, ValueId gradient) const {
    const ValueInfo &expected = graph_.value(operand), &got = graph_.value(gradient);
    if (got.shape != expected.shape || got.dtype != expected.dtype)
      throw std::logic_error(fmt::format("the gradient rule of {} gives {} {} for an operand {} {}",
                                         name_of(node.op), name_of(got.dtype), got.shape.text(),
                                         name_of(expected.dtype), expected.shape.text()));
  }

  Graph& graph_;
  NodeId last_;
  std::vector<ValueId> gradients_;  ///< by value of the forward graph
  std::vector<bool> reaches_target_;
};

}  // namespace

std::vector<ValueId> gradient(Graph& graph, std::span<const ValueId> losses, std::span<const ValueId> seeds,
                              std::span<const ValueId> with_respect_to) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const ValueInfo &loss = graph.value(losses[i]), &seed = graph.value(seeds[i]);
    if (loss.shape != seed.shape || loss.dtype != seed.dtype)
      throw Error({.what = "a gradient's seed must be like its loss",
                   .where = graph.describe(losses[i]),
                   .got = fmt::format("{} {}", name_of(seed.dtype), seed.shape.text()),
                   .expected = fmt::format("{} {}", name_of(loss.dtype), loss.shape.text()),
                   .hint = ""});
  }
  return Differentiation(graph).run(losses, seeds, with_respect_to);
}

}  // namespace halfling
