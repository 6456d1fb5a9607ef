// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, subnormals and both zeros into every pointwise op: each pair of them, forward and
// gradient. The list of ops is the op table's, so that a new one is tested, too.
#include <fmt/format.h>

#include <limits>

#include "case.hpp"

namespace halfling::conformance {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Subnormals of f32, bf16 and f16 among them, the largest number of f16, and one beyond it.
const std::vector<double> specials{1,         nan, -2,      inf,        0,        -0.0,  -inf,  0x1p-149,
                                   -0x1p-133, 3,   0x1p-24, -0x1.8p-20, 0x1p-127, 65504, 70000, -0.5};
const auto count = static_cast<std::int64_t>(specials.size());
const Shape pairs{count, count};

/// Operand i of the pairs: the special numbers by column, by row, or by column from another one on.
Fill operand_fill(std::size_t i) {
  std::vector<double> values;
  for (std::size_t row = 0; row < specials.size(); ++row)
    for (std::size_t column = 0; column < specials.size(); ++column)
      values.push_back(specials[i == 1 ? row : (column + 5 * i) % specials.size()]);
  return list(std::move(values));
}

bool is_boolean(Op op, std::size_t operand) {
  return op == Op::logical_or || (op == Op::select && operand == 0);
}

/// Which of two zeros they give is not said.
bool has_signed_zeros(Op op) {
  return op != Op::minimum && op != Op::maximum;
}

std::vector<Attributes> attributes_of(Op op) {
  if (op == Op::affine) return {AffineAttributes{2, 1}, AffineAttributes{-1, 0}};
  if (op == Op::leaky_relu || op == Op::leaky_relu_gradient)
    return {SlopeAttributes{0.25}, SlopeAttributes{0}, SlopeAttributes{-1}};
  return {Attributes{}};
}

void build(Builder& b, Op op, const Attributes& attributes) {
  std::vector<ValueId> operands;
  std::vector<Value> floating;
  for (std::size_t i = 0; i < static_cast<std::size_t>(operand_count(op)); ++i) {
    const std::string name = fmt::format("x{}", i);
    const Value x = is_boolean(op, i) ? b.input(name, DType::boolean, pairs, list({1, 0, 0, 1, 0}))
                                      : b.input(name, pairs, operand_fill(i));
    operands.push_back(x);
    if (!is_boolean(op, i)) floating.push_back(x);
  }
  const Value y = b.append(op, operands, attributes);
  if (!is_float(y.dtype())) return b.output("y", y);
  b.check("y", y, floating);
  if (!has_signed_zeros(op)) return;
  const Value inverse = constant(b.graph, 1, pairs, y.dtype()) / y;
  b.output("is negative", less(inverse, constant(b.graph, 0, pairs, y.dtype())));
}

Case special_case(Op op, const Attributes& attributes, const std::string& name) {
  const Allowance function_rounding{.ulps = 3, .epsilons = 1}, gradient_rounding{.ulps = 3, .storage = 4};
  return {.name = name,
          .build = [op, attributes](Builder& b) { build(b, op, attributes); },
          .tolerance = is_function(op) ? function_rounding : Allowance{},
          .gradient_tolerance = gradient_rounding,
          .zeros = true};
}

/// Every target makes another of the two linear parts vanish, or none.
Case loss_case(double target) {
  return {.name = fmt::format("special/sigmoid_cross_entropy/{}", target),
          .build =
              [target](Builder& b) {
                const Value x = b.input("x", {count}, list(specials));
                b.check("y", sigmoid_cross_entropy(x, target), {x});
              },
          .tolerance = {.ulps = 3, .epsilons = 6},
          .gradient_tolerance = Allowance{.ulps = 3, .storage = 4},
          .zeros = true};
}

/// Rows of logits with and without a limit, each with every label; and labels that are none of the classes.
void build_classes(Builder& b) {
  const std::vector<std::vector<double>> rows{
      {inf, 0, 1}, {0, inf, -inf}, {-inf, 0, 1},   {-inf, -inf, 2},    {inf, inf, 0},      {-inf, -inf, -inf},
      {nan, 0, 1}, {0, nan, inf},  {-inf, 0, nan}, {70000, -70000, 1}, {0, 0x1p-149, -0.0}};
  const std::vector<double> labels{0, 1, 2, -1, 3, 2147483647, -2147483648.0};
  std::vector<double> logits, all_labels;
  for (const auto& row : rows)
    for (const double label : labels) {
      logits.insert(logits.end(), row.begin(), row.end());
      all_labels.push_back(label);
    }
  const auto n = static_cast<std::int64_t>(all_labels.size());
  const Value x = b.input("x", {n, 3}, list(logits));
  const Value hot = b.input("labels", DType::i32, {n}, list(all_labels));
  b.check("softmax", softmax(x), {x});
  b.check("cross entropy", softmax_cross_entropy(x, hot), {x});
  b.output("one_hot", one_hot(hot, 3));
}

}  // namespace

std::vector<Case> special_cases() {
  std::vector<Case> cases;
  for (int i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    if (class_of(op) != OpClass::pointwise) continue;
    const std::vector<Attributes> variants = attributes_of(op);
    for (std::size_t k = 0; k < variants.size(); ++k)
      cases.push_back(special_case(op, variants[k], fmt::format("special/{}/{}", name_of(op), k)));
  }
  for (const double target : {0.0, 1.0, 0.9, 0.5}) cases.push_back(loss_case(target));
  cases.push_back({.name = "special/classes",
                   .build = build_classes,
                   .tolerance = {.ulps = 3, .epsilons = 6},
                   .gradient_tolerance = Allowance{.ulps = 3, .storage = 4},
                   .zeros = true});
  return cases;
}

}  // namespace halfling::conformance
