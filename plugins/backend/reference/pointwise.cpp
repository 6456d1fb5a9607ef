// SPDX-License-Identifier: Apache-2.0
// Element by element; operands of two and more broadcast where an extent is 1.
#include <cmath>

#include "kernel.hpp"

namespace halfling::reference {
namespace {

template <class Function>
void unary(const Call& call, Function function) {
  const std::vector<double>& x = call.in(0).elements;
  for (std::size_t i = 0; i < x.size(); ++i) call.set(i, function(x[i]));
}

double element(const Call& call, std::size_t operand, std::size_t index) {
  const Tensor& tensor = call.in(operand);
  if (tensor.shape == call.out().shape) return tensor.elements[index];
  if (tensor.elements.size() == 1) return tensor.elements[0];  // also the scalar condition of a select
  const auto at = broadcast_index(call.out().shape, tensor.shape, static_cast<std::int64_t>(index));
  return tensor.elements[static_cast<std::size_t>(at)];
}

template <class Function>
void binary(const Call& call, Function function) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, function(element(call, 0, i), element(call, 1, i)));
}

/// IEEE 754-2019 minimum and maximum: a NaN operand gives a NaN.
double smaller(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

void add(const Call& call) {
  binary(call, [](double a, double b) { return a + b; });
}
void subtract(const Call& call) {
  binary(call, [](double a, double b) { return a - b; });
}
void multiply(const Call& call) {
  binary(call, [](double a, double b) { return a * b; });
}
void divide(const Call& call) {
  binary(call, [](double a, double b) { return a / b; });
}
void minimum(const Call& call) {
  binary(call, smaller);
}
void maximum(const Call& call) {
  binary(call, larger);
}

void affine(const Call& call) {
  const auto& [scale, shift] = call.attributes<AffineAttributes>();
  unary(call, [&](double x) { return scale * x + shift; });
}
void leaky_relu(const Call& call) {
  const double slope = call.attributes<SlopeAttributes>().slope;
  unary(call, [&](double x) { return x > 0 ? x : slope * x; });
}
void leaky_relu_gradient(const Call& call) {
  const double slope = call.attributes<SlopeAttributes>().slope;
  binary(call, [&](double x, double dy) { return x > 0 ? dy : slope * dy; });
}
void sigmoid(const Call& call) {
  unary(call, [](double x) { return 1 / (1 + std::exp(-x)); });
}
void tanh(const Call& call) {
  unary(call, [](double x) { return std::tanh(x); });
}
void exp(const Call& call) {
  unary(call, [](double x) { return std::exp(x); });
}
void log(const Call& call) {
  unary(call, [](double x) { return std::log(x); });
}
void sqrt(const Call& call) {
  unary(call, [](double x) { return std::sqrt(x); });
}
void less(const Call& call) {
  binary(call, [](double a, double b) { return a < b; });
}
void logical_or(const Call& call) {
  binary(call, [](double a, double b) { return a != 0 || b != 0; });
}
void select(const Call& call) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, element(call, 0, i) != 0 ? element(call, 1, i) : element(call, 2, i));
}

}  // namespace halfling::reference
