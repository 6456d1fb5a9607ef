// SPDX-License-Identifier: Apache-2.0
// Layers: parameters plus ops. Weight layouts are PyTorch's: linear (out, in), convolution (out, in, kh, kw),
// transposed convolution (in, out, kh, kw). Names: "<layer>.weight", ".bias", ".running_mean",
// ".running_var".
#pragma once

#include "halfling/builder.hpp"

namespace halfling::nn {

/// The mode of batch norm: batch statistics (and running statistics updated) or running statistics.
enum class Mode : std::uint8_t { training, inference };

/// y = x W^T + b; x [N,in] -> [N,out]. weight: glorot-uniform unless given.
HALFLING_API Value linear(Value x, const std::string& name, std::int64_t out);
HALFLING_API Value conv2d(Value x, const std::string& name, std::int64_t out, int kernel, int stride,
                          int padding, Initial weight);
HALFLING_API Value conv2d_transpose(Value x, const std::string& name, std::int64_t out, int kernel,
                                    int stride, int padding, Initial weight);
struct BatchNorm {
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< weight of the new batch in the running statistics
};
HALFLING_API Value batch_norm(Value x, const std::string& name, BatchNorm options, Mode mode);

/// A trainable parameter.
HALFLING_API Value parameter(Graph& graph, const std::string& name, Shape shape, Initial initial);

}  // namespace halfling::nn
