// SPDX-License-Identifier: Apache-2.0
#include "graph/op_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/gradient_rules.hpp"
#include "graph/pointwise_ops.hpp"
#include "graph/shape_rules.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

using enum OpClass;
namespace s = shape_rules;
namespace g = gradient_rules;

constexpr unsigned x_only = 1u;

template <std::size_t n, std::size_t m>
constexpr std::array<OpInfo, n + m> joined(const std::array<OpInfo, n>& a, const std::array<OpInfo, m>& b) {
  std::array<OpInfo, n + m> result{};
  std::ranges::copy(b, std::ranges::copy(a, result.begin()).out);
  return result;
}

// Columns: op, name, class, operands (least, most), shape rule, gradient rule, flops per element, io
// operands.
constexpr std::array first_rows{
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
           g::batch_norm_gradient, 11, 1u | 1u << 4},
    OpInfo{Op::batch_norm_inference, "batch_norm_inference", normalization, 5, 5, s::batch_norm_inference,
           g::batch_norm_inference, 2, x_only},
};
constexpr std::array last_rows{
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
    OpInfo{Op::gradient_of, "gradient_of", shape, 2, 2, s::gradient_of, nullptr, 0, 0},
    OpInfo{Op::one_hot, "one_hot", shape, 1, 1, s::one_hot, g::none, 0, 0},

    OpInfo{Op::random_uniform, "random_uniform", random, 1, 1, s::random, g::none, 0, 0},
    OpInfo{Op::random_normal, "random_normal", random, 1, 1, s::random, g::none, 0, 0},
    OpInfo{Op::random_integer, "random_integer", random, 1, 1, s::random_integer, g::none, 0, 0},

    OpInfo{Op::advance_random, "advance_random", update, 1, 1, s::advance_random, g::none, 0, 0},
    OpInfo{Op::count, "count", update, 2, 2, s::count, g::none, 0, 0},
    OpInfo{Op::schedule, "schedule", update, 1, 1, s::schedule, g::none, 0, 0},
    OpInfo{Op::adam, "adam", update, 8, 8, s::adam, nullptr, 14,
           1u << AdamOperand::mean | 1u << AdamOperand::variance},
    OpInfo{Op::moving_average, "moving_average", update, 2, 2, s::moving_average, g::none, 3, 1u << 1},
};
constexpr auto table = joined(joined(first_rows, pointwise_ops::rows), last_rows);

static_assert(table.size() == op_count, "one row per op");
static_assert(
    [] {
      for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].op != static_cast<Op>(i)) return false;
      return true;
    }(),
    "rows in the order of the enumeration");

}  // namespace

const OpInfo& info_of(Op op) {
  const auto index = static_cast<std::size_t>(op);
  if (index >= table.size())
    throw Error({.what = "there is no such op",
                 .where = "",
                 .got = fmt::format("number {}", index),
                 .expected = fmt::format("0 to {}", table.size() - 1),
                 .hint = "was this plugin built against another version of halfling?"});
  return table[index];
}
std::string_view name_of(Op op) {
  const auto index = static_cast<std::size_t>(op);
  return index < table.size() ? table[index].name : "unknown";
}
OpClass class_of(Op op) {
  return info_of(op).op_class;
}

int operand_count(Op op) {
  return info_of(op).least_operands;
}

std::string_view name_of(OpClass op_class) {
  constexpr std::array names{"source", "contraction", "normalization", "pointwise", "reduction",
                             "loss",   "shape",       "random",        "update"};
  return names[static_cast<std::size_t>(op_class)];
}

}  // namespace halfling
