// SPDX-License-Identifier: Apache-2.0
// From descriptors to a convolution, with cuDNN's own checks.
#include "cudnn_convolution.hpp"

namespace emulation {
namespace {

/// The operations differ in the names of their attributes only.
struct Names {
  cudnnBackendDescriptorType_t type;
  Direction direction;
  cudnnBackendAttributeName_t image, filter, response, convolution, alpha, beta;
};
#define NAMES(KIND, DIRECTION, PREFIX, IMAGE, FILTER, RESPONSE)                                              \
  {                                                                                                          \
    CUDNN_BACKEND_OPERATION_CONVOLUTION_##KIND##_DESCRIPTOR, Direction::DIRECTION,                           \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##IMAGE, CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##FILTER, \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##RESPONSE,                                                 \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##CONV_DESC,                                                \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##BETA    \
  }
constexpr Names names[] = {NAMES(FORWARD, forward, FORWARD_, X, W, Y),
                           NAMES(BACKWARD_DATA, backward_data, BWD_DATA_, DX, W, DY),
                           NAMES(BACKWARD_FILTER, backward_filter, BWD_FILTER_, X, DW, DY)};
#undef NAMES

const Names& names_of(const Descriptor& operation) {
  for (const Names& entry : names)
    if (entry.type == operation.type) return entry;
  return names[0];
}

Tensor read_tensor(const Descriptor& tensor) {
  const auto extents = tensor.values<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  return {tensor.value<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID).value_or(0), extents[0], extents[1],
          extents[2], extents[3]};
}

bool is_channels_last(const Descriptor& tensor) {
  const Tensor t = read_tensor(tensor);
  return tensor.values<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES) ==
         std::vector<std::int64_t>{t.h * t.w * t.c, 1, t.w * t.c, t.c};
}

bool agrees(std::int64_t in, std::int64_t filter, std::int64_t out, std::int64_t pad, std::int64_t stride) {
  return in + 2 * pad >= filter && out == (in + 2 * pad - filter) / stride + 1;
}

bool shapes_agree(const Convolution& c) {
  return c.image.n == c.response.n && c.image.c == c.filter.c && c.response.c == c.filter.n &&
         agrees(c.image.h, c.filter.h, c.response.h, c.pad[0], c.stride[0]) &&
         agrees(c.image.w, c.filter.w, c.response.w, c.pad[1], c.stride[1]);
}

cudnnStatus_t read_type(const Descriptor* const (&tensors)[3], const Descriptor& convolution, DType& type) {
  const auto first = tensors[0]->value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  for (const Descriptor* tensor : tensors) {
    if (tensor->value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE) != first)
      return fail(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "no engine for tensors of several types");
    if (!is_channels_last(*tensor))
      return fail(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "tensor is not channels last");
  }
  if (convolution.value<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) != CUDNN_DATA_FLOAT)
    return fail(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "only computing in float is emulated");
  if (first == CUDNN_DATA_FLOAT)
    type = DType::f32;
  else if (first == CUDNN_DATA_HALF)
    type = DType::f16;
  else if (first == CUDNN_DATA_BFLOAT16)
    type = DType::bf16;
  else
    return fail(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "tensor's type is not emulated");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t read_operation(const Descriptor& operation, Convolution& result) {
  const Names& n = names_of(operation);
  const Descriptor* const tensors[3] = {operation.descriptor(n.image), operation.descriptor(n.filter),
                                        operation.descriptor(n.response)};
  const Descriptor* convolution = operation.descriptor(n.convolution);
  const auto alpha = operation.value<float>(n.alpha), beta = operation.value<float>(n.beta);
  if (!tensors[0] || !tensors[1] || !tensors[2] || !convolution || !alpha || !beta)
    return fail(CUDNN_STATUS_BAD_PARAM, "operation lacks an attribute");
  const auto pads = convolution->values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  const auto strides = convolution->values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  result = {.direction = n.direction,
            .type = DType::f32,
            .image = read_tensor(*tensors[0]),
            .filter = read_tensor(*tensors[1]),
            .response = read_tensor(*tensors[2]),
            .pad = {pads[0], pads[1]},
            .stride = {strides[0], strides[1]},
            .alpha = *alpha,
            .beta = *beta};
  if (!shapes_agree(result))
    return fail(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "the tensors' shapes do not agree");
  return read_type(tensors, *convolution, result.type);
}

}  // namespace emulation
