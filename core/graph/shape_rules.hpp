// SPDX-License-Identifier: Apache-2.0
// Shape and format rules of the op table: check the operands, derive the results.
#pragma once

#include "graph/op_table.hpp"

namespace halfling::shape_rules {

using Results = std::vector<ValueInfo>;

Results source(const OperandView& v);  ///< refuses: sources are made by Graph itself
Results constant(const OperandView& v);
Results matmul(const OperandView& v);
Results conv2d(const OperandView& v);
Results conv2d_input_gradient(const OperandView& v);
Results conv2d_weight_gradient(const OperandView& v);
Results batch_norm(const OperandView& v);
Results batch_norm_gradient(const OperandView& v);
Results batch_norm_inference(const OperandView& v);
Results unary_float(const OperandView& v);
Results binary_float(const OperandView& v);
Results less(const OperandView& v);
Results logical_or(const OperandView& v);
Results select(const OperandView& v);
Results sum(const OperandView& v);
Results any_nonfinite(const OperandView& v);
Results exponent_histogram(const OperandView& v);
Results softmax(const OperandView& v);
Results softmax_cross_entropy(const OperandView& v);
Results reshape(const OperandView& v);
Results broadcast(const OperandView& v);
Results concat(const OperandView& v);
Results slice(const OperandView& v);
Results cast(const OperandView& v);
Results detach(const OperandView& v);
Results gradient_of(const OperandView& v);
Results one_hot(const OperandView& v);
Results random(const OperandView& v);
Results random_integer(const OperandView& v);
Results advance_random(const OperandView& v);
Results count(const OperandView& v);
Results schedule(const OperandView& v);
Results adam(const OperandView& v);
Results moving_average(const OperandView& v);

}  // namespace halfling::shape_rules
