// SPDX-License-Identifier: Apache-2.0
// Gradients of batch norm. Its own gradient is an op, quick on every backend; what that op's gradient is, and
// the gradient with running statistics, is built from the pointwise ops and sums that they stand for.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/gradient_rules.hpp"
#include "graph/passes.hpp"
#include "halfling/error.hpp"
#include "halfling/gradient.hpp"

namespace halfling::gradient_rules {
namespace {

/// What an op makes of its operands, said in other ops.
using Definition = std::function<std::vector<Value>(const std::vector<Value>& operands)>;

/// An op that is said in other ops, and so has their gradient. It is said in a graph of its own, whose inputs
/// stand for the operands: one operand may depend on another one, and only the way through this op counts.
class Stated {
 public:
  explicit Stated(const GradientView& v) : v_(v) {
    part_.context() = v.graph.context();
    part_.context().compute.reset();
  }

  Gradients differentiate(const Definition& definition) {
    std::vector<Value> operands;
    for (std::size_t i = 0; i < v_.node.operands.size(); ++i)
      operands.push_back(stand_in(fmt::format("operand.{}", i), v_.operand(i)));
    const std::vector<Value> results = definition(operands);
    std::vector<ValueId> losses, seeds;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (v_.gradients[i] == no_value) continue;
      losses.push_back(results[i]);
      seeds.push_back(stand_in(fmt::format("gradient.{}", i), v_.gradient(i)));
    }
    const std::vector<ValueId> targets(operands.begin(), operands.end());
    Gradients found = gradient(part_, losses, seeds, targets);
    const std::vector<ValueId> placed = append_graph(v_.graph, part_, inputs_);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != no_value) {
        const Value wide{&v_.graph, placed[static_cast<std::size_t>(found[i])]};
        found[i] = halfling::cast(wide, v_.operand(i).dtype());
      }
    return found;
  }

 private:
  /// Half values are widened: the part computes as the op does.
  Value stand_in(const std::string& name, Value given) {
    const DType wide = given.dtype() == DType::f64 ? DType::f64 : DType::f32;
    inputs_[name] = halfling::cast(given, wide);
    return {&part_, part_.input(name, wide, given.shape())};
  }

  const GradientView& v_;
  Graph part_;
  std::map<std::string, ValueId> inputs_;
};

/// A vector [C] beside x [N,C] or [N,C,H,W].
Value beside(Value vector, Value x) {
  const std::int64_t channels = vector.shape()[0];
  return halfling::reshape(vector, x.shape().rank() == 2 ? Shape{1, channels} : Shape{1, channels, 1, 1});
}

/// Sums of all but the channels, [C].
Value channel_sum(Value x) {
  const unsigned others = ((1u << x.shape().rank()) - 1) & ~2u;
  return halfling::reshape(halfling::sum(x, others), {x.shape()[1]});
}

Value deviation_of(Value variance, const GradientView& v) {
  return halfling::sqrt(variance + v.get<EpsilonAttributes>().epsilon);
}

}  // namespace

Gradients batch_norm(const GradientView& v) {
  if (v.gradients[0] == no_value || v.gradients[1] != no_value || v.gradients[2] != no_value)
    throw Error({.what = "batch_norm has no gradient with respect to its statistics",
                 .where = v.node.scope,
                 .got = "a loss that depends on the batch mean or variance",
                 .expected = "a loss that depends on the normalised result only",
                 .hint = "detach() the statistics, or make them of sums"});
  const NodeId id =
      v.graph.append(Op::batch_norm_gradient,
                     {v.operand(0), v.operand(1), v.result(1), v.result(2), v.gradient()}, v.node.attributes);
  return v.graph.node(id).results;
}

// With z = (x - mean) / s, s = sqrt(variance + epsilon), m values a channel:
//   dbeta = sum dy;  dgamma = sum dy z;  dx = gamma / s (dy - dbeta / m - z dgamma / m)
// Mean and variance are made of x anew, because the gradient goes through them, too.
Gradients batch_norm_gradient(const GradientView& v) {
  return Stated(v).differentiate([&](const std::vector<Value>& operands) {
    const Value x = operands[0], gamma = operands[1], dy = operands[4];
    const double share =
        static_cast<double>(x.shape()[1]) / static_cast<double>(x.shape().elements());  // 1 / m
    const Value centred = x - beside(share * channel_sum(x), x);
    const Value s = deviation_of(share * channel_sum(centred * centred), v);
    const Value z = centred / beside(s, x);
    const Value dbeta = channel_sum(dy), dgamma = channel_sum(dy * z);
    const Value rest = dy - beside(share * dbeta, x) - z * beside(share * dgamma, x);
    return std::vector<Value>{beside(gamma / s, x) * rest, dgamma, dbeta};
  });
}

Gradients batch_norm_inference(const GradientView& v) {
  return Stated(v).differentiate([&](const std::vector<Value>& operands) {
    const Value x = operands[0], gain = operands[1] / deviation_of(operands[4], v);
    return std::vector<Value>{(x - beside(operands[3], x)) * beside(gain, x) + beside(operands[2], x)};
  });
}

}  // namespace halfling::gradient_rules
