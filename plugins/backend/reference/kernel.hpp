// SPDX-License-Identifier: Apache-2.0
// How the reference backend computes: one plain function per op, all in double, and one rule of rounding.
//
// A result is computed in double from its operands and then rounded once to the node's compute format and
// once to the result's own format, as a device would that computes in the one and stores in the other. (tf32
// is how a contraction takes its operands; its results are rounded to f32.) So a sum has no rounding inside:
// a device that accumulates in f32 agrees exactly where the sum is exact, and within its own rounding
// elsewhere.
#pragma once

#include <vector>

#include "halfling/graph.hpp"
#include "tensor.hpp"

namespace halfling::reference {

/// A node together with where its operands and results are.
struct Call {
  const Node* node = nullptr;
  std::vector<const Tensor*> operands;
  std::vector<Tensor*> results;

  template <class A>
  const A& attributes() const {
    return std::get<A>(node->attributes);
  }
  const Tensor& in(std::size_t i) const { return *operands[i]; }
  Tensor& out(std::size_t i = 0) const { return *results[i]; }
  /// `value` as result `i` keeps it.
  double rounded(double value, std::size_t i = 0) const;
  /// Sets one element of result `i`, rounded.
  void set(std::size_t index, double value, std::size_t i = 0) const {
    out(i).elements[index] = rounded(value, i);
  }
  /// Sets all of result `i`, rounded.
  void set_all(const std::vector<double>& values, std::size_t i = 0) const;
};

using Kernel = void (*)(const Call&);

/// The function of an op; null for sources, which the executable fills, and for what it does not know.
Kernel kernel_of(Op op);
/// Whether the backend has an op.
bool has(Op op);

// The functions in the table of kernel.cpp, where the pointwise ops stand whole.
void matmul(const Call&);
void conv2d(const Call&);
void conv2d_input_gradient(const Call&);
void conv2d_weight_gradient(const Call&);

void batch_norm(const Call&);
void batch_norm_gradient(const Call&);
void batch_norm_inference(const Call&);

void sum(const Call&);
void any_nonfinite(const Call&);
void exponent_histogram(const Call&);

void softmax(const Call&);
void sigmoid_cross_entropy(const Call&);
void softmax_cross_entropy(const Call&);

void copy(const Call&);  ///< reshape, detach
void broadcast(const Call&);
void concat(const Call&);
void slice(const Call&);
void cast(const Call&);
void one_hot(const Call&);

void random_uniform(const Call&);
void random_normal(const Call&);
void random_integer(const Call&);

void advance_random(const Call&);
void count(const Call&);
void schedule(const Call&);
void adam(const Call&);
void moving_average(const Call&);

}  // namespace halfling::reference
