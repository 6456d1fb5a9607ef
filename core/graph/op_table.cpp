// SPDX-License-Identifier: Apache-2.0
#include "graph/op_table.hpp"

#include <array>

#include "graph/gradient_rules.hpp"
#include "graph/shape_rules.hpp"

namespace halfling {
namespace {

using enum OpClass;
namespace s = shape_rules;
namespace g = gradient_rules;

constexpr unsigned x_only = 1u;

constexpr std::array table{
    // op, name, class, operands (least, most), shape rule, gradient rule, flops per element, io operands
    OpInfo{Op::input, "input", source, 0, 0, s::source, g::none, 0, 0},
    OpInfo{Op::state, "state", source, 0, 0, s::source, g::none, 0, 0},
    OpInfo{Op::constant, "constant", source, 0, 0, s::constant, g::none, 0, 0},

    OpInfo{Op::matmul, "matmul", contraction, 2, 2, s::matmul, g::matmul, 0, all_operands},
    OpInfo{Op::conv2d, "conv2d", contraction, 2, 2, s::conv2d, g::conv2d, 0, all_operands},
    OpInfo{Op::conv2d_input_gradient, "conv2d_input_gradient", contraction, 2, 2, s::conv2d_input_gradient,
           g::conv2d_input_gradient, 0, all_operands},
    OpInfo{Op::conv2d_weight_gradient, "conv2d_weight_gradient", contraction, 2, 2, s::conv2d_weight_gradient,
           g::conv2d_weight_gradient, 0, all_operands},

    OpInfo{Op::batch_norm, "batch_norm", normalization, 3, 3, s::batch_norm, g::batch_norm, 7, x_only},
    OpInfo{Op::batch_norm_gradient, "batch_norm_gradient", normalization, 5, 5, s::batch_norm_gradient,
           nullptr, 11, 1u | 1u << 4},
    OpInfo{Op::batch_norm_inference, "batch_norm_inference", normalization, 5, 5, s::batch_norm_inference,
           nullptr, 2, x_only},

    OpInfo{Op::add, "add", pointwise, 2, 2, s::binary_float, g::add, 1, all_operands},
    OpInfo{Op::subtract, "subtract", pointwise, 2, 2, s::binary_float, g::subtract, 1, all_operands},
    OpInfo{Op::multiply, "multiply", pointwise, 2, 2, s::binary_float, g::multiply, 1, all_operands},
    OpInfo{Op::divide, "divide", pointwise, 2, 2, s::binary_float, g::divide, 1, all_operands},
    OpInfo{Op::minimum, "minimum", pointwise, 2, 2, s::binary_float, g::minimum, 1, all_operands},
    OpInfo{Op::maximum, "maximum", pointwise, 2, 2, s::binary_float, g::maximum, 1, all_operands},
    OpInfo{Op::affine, "affine", pointwise, 1, 1, s::unary_float, g::affine, 2, all_operands},
    OpInfo{Op::leaky_relu, "leaky_relu", pointwise, 1, 1, s::unary_float, g::leaky_relu, 1, all_operands},
    OpInfo{Op::leaky_relu_gradient, "leaky_relu_gradient", pointwise, 2, 2, s::binary_float,
           g::leaky_relu_gradient, 1, all_operands},
    OpInfo{Op::sigmoid, "sigmoid", pointwise, 1, 1, s::unary_float, g::sigmoid, 4, all_operands},
    OpInfo{Op::tanh, "tanh", pointwise, 1, 1, s::unary_float, g::tanh, 4, all_operands},
    OpInfo{Op::exp, "exp", pointwise, 1, 1, s::unary_float, g::exp, 2, all_operands},
    OpInfo{Op::log, "log", pointwise, 1, 1, s::unary_float, g::log, 2, all_operands},
    OpInfo{Op::sqrt, "sqrt", pointwise, 1, 1, s::unary_float, g::sqrt, 1, all_operands},
    OpInfo{Op::less, "less", pointwise, 2, 2, s::less, g::none, 1, all_operands},
    OpInfo{Op::logical_or, "logical_or", pointwise, 2, 2, s::logical_or, g::none, 1, 0},
    OpInfo{Op::select, "select", pointwise, 3, 3, s::select, g::select, 1, 1u << 1 | 1u << 2},

    OpInfo{Op::sum, "sum", reduction, 1, 1, s::sum, g::sum, 1, all_operands},
    OpInfo{Op::any_nonfinite, "any_nonfinite", reduction, 1, -1, s::any_nonfinite, g::none, 1, 0},
    OpInfo{Op::exponent_histogram, "exponent_histogram", reduction, 1, 1, s::exponent_histogram, g::none, 1,
           0},

    OpInfo{Op::softmax, "softmax", loss, 1, 1, s::softmax, g::softmax, 5, all_operands},
    OpInfo{Op::sigmoid_cross_entropy, "sigmoid_cross_entropy", loss, 1, 1, s::unary_float,
           g::sigmoid_cross_entropy, 7, all_operands},
    OpInfo{Op::softmax_cross_entropy, "softmax_cross_entropy", loss, 2, 2, s::softmax_cross_entropy,
           g::softmax_cross_entropy, 7, x_only},

    OpInfo{Op::reshape, "reshape", shape, 1, 1, s::reshape, g::reshape, 0, 0},
    OpInfo{Op::broadcast, "broadcast", shape, 1, 1, s::broadcast, g::broadcast, 0, 0},
    OpInfo{Op::concat, "concat", shape, 1, -1, s::concat, g::concat, 0, all_operands},
    OpInfo{Op::slice, "slice", shape, 1, 1, s::slice, g::slice, 0, 0},
    OpInfo{Op::cast, "cast", shape, 1, 1, s::cast, g::cast, 0, 0},
    OpInfo{Op::detach, "detach", shape, 1, 1, s::detach, g::none, 0, 0},
    OpInfo{Op::one_hot, "one_hot", shape, 1, 1, s::one_hot, g::none, 0, 0},

    OpInfo{Op::random_uniform, "random_uniform", random, 1, 1, s::random, g::none, 0, 0},
    OpInfo{Op::random_normal, "random_normal", random, 1, 1, s::random, g::none, 0, 0},

    OpInfo{Op::advance_random, "advance_random", update, 1, 1, s::advance_random, g::none, 0, 0},
    OpInfo{Op::count, "count", update, 2, 2, s::count, g::none, 0, 0},
    OpInfo{Op::adam, "adam", update, 7, 7, s::adam, nullptr, 14, 0},
    OpInfo{Op::moving_average, "moving_average", update, 2, 2, s::moving_average, g::none, 3, 0},
};

static_assert(table.size() == op_count, "one row per op");
static_assert(
    [] {
      for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].op != static_cast<Op>(i)) return false;
      return true;
    }(),
    "rows in the order of the enumeration");

double contraction_flops(const Graph& graph, const Node& node) {
  const auto& attributes = node.attributes;
  const Shape& result = graph.value(node.results[0]).shape;
  const Shape& first = graph.value(node.operands[0]).shape;
  const Shape& second = graph.value(node.operands[1]).shape;
  switch (node.op) {
    case Op::matmul:
      return 2.0 * static_cast<double>(result.elements() *
                                       first[std::get<MatmulAttributes>(attributes).transpose_a ? 0 : 1]);
    case Op::conv2d:  // per result element C kh kw multiply-adds
      return 2.0 * static_cast<double>(result.elements() * second[1] * second[2] * second[3]);
    case Op::conv2d_input_gradient:  // as many as the forward convolution that it belongs to
      return 2.0 * static_cast<double>(first.elements() * second[1] * second[2] * second[3]);
    default:  // conv2d_weight_gradient: per dy element C kh kw
      return 2.0 * static_cast<double>(second.elements() * result[1] * result[2] * result[3]);
  }
}

}  // namespace

const OpInfo& info_of(Op op) {
  return table[static_cast<std::size_t>(op)];
}
std::string_view name_of(Op op) {
  return info_of(op).name;
}
OpClass class_of(Op op) {
  return info_of(op).op_class;
}

std::string_view name_of(OpClass op_class) {
  constexpr std::array names{"source", "contraction", "normalization", "pointwise", "reduction",
                             "loss",   "shape",       "random",        "update"};
  return names[static_cast<std::size_t>(op_class)];
}

Cost cost_of(const Graph& graph, const Node& node) {
  const OpInfo& info = info_of(node.op);
  if (info.op_class == source) return {};
  Cost cost;
  for (const auto* list : {&node.operands, &node.results})
    for (const ValueId id : *list)
      cost.bytes += static_cast<double>(graph.value(id).shape.elements()) *
                    static_cast<double>(size_of(graph.value(id).dtype));
  if (info.op_class == contraction) {
    cost.flops = contraction_flops(graph, node);
  } else {
    const ValueId counted = info.op_class == reduction ? node.operands[0] : node.results[0];
    cost.flops = info.flops_per_element * static_cast<double>(graph.value(counted).shape.elements());
  }
  return cost;
}

}  // namespace halfling
