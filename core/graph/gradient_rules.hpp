// SPDX-License-Identifier: Apache-2.0
// Gradient rules of the op table. dL/dy is written dy. The rules use only ops of the set, so that what they
// build can be differentiated again, but for batch norm's gradient.
#pragma once

#include "graph/op_table.hpp"

namespace halfling::gradient_rules {

using Gradients = std::vector<ValueId>;

Gradients none(const GradientView& v);  ///< nothing flows: sources, integers, detach
Gradients matmul(const GradientView& v);
Gradients conv2d(const GradientView& v);
Gradients conv2d_input_gradient(const GradientView& v);
Gradients conv2d_weight_gradient(const GradientView& v);
Gradients batch_norm(const GradientView& v);
Gradients add(const GradientView& v);
Gradients subtract(const GradientView& v);
Gradients multiply(const GradientView& v);
Gradients divide(const GradientView& v);
Gradients minimum(const GradientView& v);
Gradients maximum(const GradientView& v);
Gradients affine(const GradientView& v);
Gradients leaky_relu(const GradientView& v);
Gradients leaky_relu_gradient(const GradientView& v);
Gradients sigmoid(const GradientView& v);
Gradients tanh(const GradientView& v);
Gradients exp(const GradientView& v);
Gradients log(const GradientView& v);
Gradients sqrt(const GradientView& v);
Gradients select(const GradientView& v);
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
