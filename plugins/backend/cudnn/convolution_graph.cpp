// SPDX-License-Identifier: Apache-2.0
#include "convolution_graph.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>

namespace halfling::cudnn {
namespace {

const char* name_of(ConvolutionKind kind) {
  switch (kind) {
    case ConvolutionKind::fprop:
      return "fprop";
    case ConvolutionKind::dgrad:
      return "dgrad";
    default:
      return "wgrad";
  }
}

cudnnDataType_t data_type(DType type) {
  return type == DType::f16 ? CUDNN_DATA_HALF : type == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

void set_integers(Descriptor& descriptor, Descriptor::Name name, std::initializer_list<std::int64_t> values) {
  descriptor.set(name, std::span<const std::int64_t>(values.begin(), values.size()));
}

/// cuDNN names extents in the order N, C, H, W; the strides say that C lies last.
Descriptor tensor(TensorId id, DType type, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::int64_t{id});
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(type));
  set_integers(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, {n, c, h, w});
  set_integers(tensor, CUDNN_ATTR_TENSOR_STRIDES, {h * w * c, 1, w * c, c});
  tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  return std::move(tensor).finalized("a tensor");
}

Descriptor convolution(const ConvolutionProblem& problem) {
  Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  set_integers(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {problem.padding, problem.padding});
  set_integers(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {problem.padding, problem.padding});
  set_integers(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {problem.stride, problem.stride});
  set_integers(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  return std::move(convolution).finalized("a convolution");
}

/// The three operations differ only in the names of their attributes.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  Descriptor::Name image, filter, response, convolution, alpha, beta;
};
constexpr std::array operations{
    OperationNames{
        CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    OperationNames{
        CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    OperationNames{
        CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

}  // namespace

ConvolutionProblem convolution_of(const Graph& graph, const Node& node) {
  const auto& attributes = std::get<ConvAttributes>(node.attributes);
  const Shape &first = graph.value(node.operands[0]).shape, &second = graph.value(node.operands[1]).shape;
  const ValueInfo& result = graph.value(node.results[0]);
  const bool fprop = node.op == Op::conv2d, dgrad = node.op == Op::conv2d_input_gradient;
  const Shape& x = dgrad ? result.shape : first;
  const Shape& w = fprop || dgrad ? second : result.shape;
  const Shape& y = fprop ? result.shape : dgrad ? first : second;
  return {.kind = fprop   ? ConvolutionKind::fprop
                  : dgrad ? ConvolutionKind::dgrad
                          : ConvolutionKind::wgrad,
          .n = x[0],
          .c = x[1],
          .h = x[2],
          .w = x[3],
          .k = y[1],
          .p = y[2],
          .q = y[3],
          .r = w[2],
          .s = w[3],
          .stride = attributes.stride,
          .padding = attributes.padding,
          .data = result.dtype,
          .compute = node.compute};
}

const char* mode_of(const ConvolutionProblem& problem) {
  if (problem.data == DType::f16) return "fp16";
  if (problem.data == DType::bf16) return "bf16";
  return problem.compute == DType::tf32 ? "tf32" : "fp32";
}

std::string text(const ConvolutionProblem& b) {
  return fmt::format("{} x {},{},{},{} w {},{},{},{} y {},{},{},{} stride {} padding {}", name_of(b.kind),
                     b.n, b.c, b.h, b.w, b.k, b.c, b.r, b.s, b.n, b.k, b.p, b.q, b.stride, b.padding);
}

std::vector<Descriptor> operation_graph(const ConvolutionProblem& b, const Target& target) {
  const OperationNames& names = operations[static_cast<std::size_t>(b.kind)];
  std::vector<Descriptor> parts;
  parts.push_back(tensor(image_id, b.data, b.n, b.c, b.h, b.w));
  parts.push_back(tensor(filter_id, b.data, b.k, b.c, b.r, b.s));
  parts.push_back(tensor(response_id, b.data, b.n, b.k, b.p, b.q));
  parts.push_back(convolution(b));
  Descriptor operation(names.type);
  operation.set(names.image, parts[0]);
  operation.set(names.filter, parts[1]);
  operation.set(names.response, parts[2]);
  operation.set(names.convolution, parts[3]);
  operation.set(names.alpha, 1.0f);
  operation.set(names.beta, 0.0f);
  parts.push_back(std::move(operation).finalized("a convolution's operation"));
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, parts.back());
  target.set_in_graph(graph);
  parts.push_back(std::move(graph).finalized("an operation graph"));
  return parts;
}

}  // namespace halfling::cudnn
