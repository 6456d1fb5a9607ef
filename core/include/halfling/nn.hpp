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
/// In training, the running statistics move with each call, in the order of the calls, as PyTorch's do; also
/// where the update is then skipped, but for values that are not finite.
HALFLING_API Value batch_norm(Value x, const std::string& name, BatchNorm options, Mode mode);

/// weight / sigma, with sigma the greatest singular value of the weight as a matrix whose rows lie along
/// `axis` (0; 1 for the weight of a transposed convolution): Miyato et al. 2018. In training, sigma comes
/// from one step of power iteration a run of the phase: however often the phase calls it, all calls see one
/// sigma. The vectors are the states "<name>.u" and "<name>.v", which every run moves, also one whose update
/// is skipped: they follow the weight, which is finite. Inference takes them as they were left.
HALFLING_API Value spectral_norm(Value weight, const std::string& name, Mode mode, int axis = 0);

/// A trainable parameter.
HALFLING_API Value parameter(Graph& graph, const std::string& name, Shape shape, Initial initial);

}  // namespace halfling::nn
