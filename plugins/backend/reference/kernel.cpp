// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

namespace halfling::reference {

double Call::rounded(double value, std::size_t i) const {
  const DType format = out(i).dtype;
  if (!is_float(format)) return value;
  const DType compute = node->compute == DType::tf32 ? DType::f32 : node->compute;
  return round_to(format, round_to(compute, value));
}

void Call::set_all(const std::vector<double>& values, std::size_t i) const {
  for (std::size_t index = 0; index < values.size(); ++index) set(index, values[index], i);
}

Kernel kernel_of(Op op) {
  switch (op) {
    case Op::input:
    case Op::state:
    case Op::constant:
      return nullptr;
    case Op::matmul:
      return matmul;
    case Op::conv2d:
      return conv2d;
    case Op::conv2d_input_gradient:
      return conv2d_input_gradient;
    case Op::conv2d_weight_gradient:
      return conv2d_weight_gradient;
    case Op::batch_norm:
      return batch_norm;
    case Op::batch_norm_gradient:
      return batch_norm_gradient;
    case Op::batch_norm_inference:
      return batch_norm_inference;
    case Op::add:
      return add;
    case Op::subtract:
      return subtract;
    case Op::multiply:
      return multiply;
    case Op::divide:
      return divide;
    case Op::minimum:
      return minimum;
    case Op::maximum:
      return maximum;
    case Op::affine:
      return affine;
    case Op::leaky_relu:
      return leaky_relu;
    case Op::leaky_relu_gradient:
      return leaky_relu_gradient;
    case Op::sigmoid:
      return sigmoid;
    case Op::tanh:
      return tanh;
    case Op::exp:
      return exp;
    case Op::log:
      return log;
    case Op::sqrt:
      return sqrt;
    case Op::less:
      return less;
    case Op::logical_or:
      return logical_or;
    case Op::select:
      return select;
    case Op::sum:
      return sum;
    case Op::any_nonfinite:
      return any_nonfinite;
    case Op::exponent_histogram:
      return exponent_histogram;
    case Op::softmax:
      return softmax;
    case Op::sigmoid_cross_entropy:
      return sigmoid_cross_entropy;
    case Op::softmax_cross_entropy:
      return softmax_cross_entropy;
    case Op::reshape:
    case Op::detach:
      return copy;
    case Op::broadcast:
      return broadcast;
    case Op::concat:
      return concat;
    case Op::slice:
      return slice;
    case Op::cast:
      return cast;
    case Op::one_hot:
      return one_hot;
    case Op::random_uniform:
      return random_uniform;
    case Op::random_normal:
      return random_normal;
    case Op::advance_random:
      return advance_random;
    case Op::count:
      return count;
    case Op::adam:
      return adam;
    case Op::moving_average:
      return moving_average;
  }
  return nullptr;
}

}  // namespace halfling::reference
