// SPDX-License-Identifier: Apache-2.0
// Gradient rules of the op table; those of pointwise ops stand beside their rows, in pointwise_ops.hpp. dL/dy
// is written dy. The rules use only ops of the set, so that what they build can be differentiated again, as
// often as one likes.
#pragma once

#include "graph/op_table.hpp"

namespace halfling::gradient_rules {

using Gradients = std::vector<ValueId>;

/// The sum of `gradient` over the axes along which an operand of this shape was broadcast.
Value sum_to(Value gradient, const Shape& shape);

Gradients none(const GradientView& v);  ///< nothing flows: sources, integers, detach
Gradients matmul(const GradientView& v);
Gradients conv2d(const GradientView& v);
Gradients conv2d_input_gradient(const GradientView& v);
Gradients conv2d_weight_gradient(const GradientView& v);
Gradients batch_norm(const GradientView& v);
Gradients batch_norm_gradient(const GradientView& v);
Gradients batch_norm_inference(const GradientView& v);
Gradients sum(const GradientView& v);
Gradients softmax(const GradientView& v);
Gradients sigmoid_cross_entropy(const GradientView& v);
Gradients softmax_cross_entropy(const GradientView& v);
Gradients reshape(const GradientView& v);
Gradients broadcast(const GradientView& v);
Gradients concat(const GradientView& v);
Gradients slice(const GradientView& v);
Gradients cast(const GradientView& v);

}  // namespace halfling::gradient_rules
