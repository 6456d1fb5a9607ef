// SPDX-License-Identifier: Apache-2.0
// The three operations of a convolution in plain loops. Tensors lie channels last; a filter is [k, kh, kw,
// c].
#pragma once

#include <cudnn.h>

#include <cstdint>

#include "arithmetic.hpp"
#include "cudnn_descriptor.hpp"

namespace emulation {

enum class Direction { forward, backward_data, backward_filter };

struct Tensor {
  std::int64_t id;
  std::int64_t n, c, h, w;
  std::int64_t elements() const { return n * c * h * w; }
};

struct Convolution {
  Direction direction;
  DType type;  ///< of all three tensors
  Tensor image, filter, response;
  std::int64_t pad[2], stride[2];
  float alpha, beta;
};

/// How an engine computes.
struct Arithmetic {
  Operands operands = Operands::exact;
  bool reduced_sums = false;      ///< partial sums are kept in the half format (of f32 data: in bf16)
  bool nondeterministic = false;  ///< results differ between executions
};

/// Reads a finalized operation into `result`, or says what cuDNN has against it.
cudnnStatus_t read_operation(const Descriptor& operation, Convolution& result);

struct ConvolutionData {
  void *image, *filter, *response;
};
void compute(const Convolution& convolution, const Arithmetic& arithmetic, const ConvolutionData& data);

}  // namespace emulation
