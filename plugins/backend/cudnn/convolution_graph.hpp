// SPDX-License-Identifier: Apache-2.0
// A convolution as cuDNN's operation graph of one operation.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "halfling/graph.hpp"
#include "target.hpp"

namespace halfling::cudnn {

enum class ConvolutionKind : std::uint8_t { fprop, dgrad, wgrad };

/// A convolution, whichever of its three tensors is computed from the other two: image x [N, C, H, W] and
/// filter w [K, C, R, S] give response y [N, K, P, Q]. All lie channels last, aligned to 16 bytes.
struct ConvolutionProblem {
  ConvolutionKind kind{};
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  std::int64_t k = 0, p = 0, q = 0;
  std::int64_t r = 0, s = 0;
  std::int64_t stride = 1, padding = 0;
  DType data = DType::f32;     ///< of all three tensors: f32, f16 or bf16
  DType compute = DType::f32;  ///< f32, or for f32 data tf32; sums are f32 in any case
  auto operator<=>(const ConvolutionProblem&) const = default;
};

/// The convolution of a node conv2d, conv2d_input_gradient or conv2d_weight_gradient.
ConvolutionProblem convolution_of(const Graph& graph, const Node& node);

/// "fp32", "tf32", "fp16" or "bf16": what the precision is called in experiments.
const char* mode_of(const ConvolutionProblem& problem);
/// "dgrad x 64,128,14,14 w 256,128,4,4 y 64,256,7,7 stride 2 padding 1"
std::string text(const ConvolutionProblem& problem);

/// What the tensors are called when the graph runs.
enum TensorId : std::int64_t { image_id = 'x', filter_id = 'w', response_id = 'y' };

/// The operation graph is the last; its parts stand in front of it.
std::vector<Descriptor> operation_graph(const ConvolutionProblem& problem, const Target& target);

}  // namespace halfling::cudnn
