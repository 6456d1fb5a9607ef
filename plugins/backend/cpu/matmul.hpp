// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>

#include "halfling/dtype.hpp"

namespace halfling::cpu {

/// y [m,n] = a [m,k] b [k,n], row-major; a transposed operand lies as its transpose.
struct MatrixProduct {
  std::int64_t m, k, n;
  bool transpose_a, transpose_b;
  DType operands, result;
  bool accumulates = false;  ///< y += a b
};

/// Never a reference implementation: throws Error where there is no other.
dnnl::matmul::primitive_desc matmul_descriptor(const MatrixProduct& product);

}  // namespace halfling::cpu
