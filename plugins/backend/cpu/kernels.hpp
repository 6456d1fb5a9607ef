// SPDX-License-Identifier: Apache-2.0
// The inner loops of everything that is not a contraction, compiled once for each instruction set and chosen
// once by what the processor has. Pointers may be unaligned; a destination may be one of the sources.
#pragma once

#include <cstdint>

#include "halfling/dtype.hpp"
#include "program/tile_op.hpp"

namespace halfling::cpu {

using namespace program;

struct TileArguments {
  float* to;
  const float *a, *b, *c;
  std::int64_t n;
  float p[2];
};

/// One step of Adam over a range; see AdamAttributes.
struct AdamArguments {
  float *parameter, *mean, *variance;
  const void* gradient;
  DType gradient_type;
  void* half;  ///< where a copy of the new parameter in a half format goes; nullptr: nowhere
  DType half_type;
  float scale;                       ///< multiplies the gradient
  float beta1, rest1, beta2, rest2;  ///< rest: 1 - beta
  float rate, correction;            ///< learning_rate / (1 - beta1^t), 1 / sqrt(1 - beta2^t)
  float epsilon;
};

struct Kernels {
  const char* name;  ///< "avx512", "avx2", "sse2"
  void (*tile[tile_op_count])(const TileArguments&);
  /// Any storage format but f64 to f32; i32 keeps its bits.
  void (*load)(DType, const void* from, float* to, std::int64_t n);
  void (*store)(DType, const float* from, void* to, std::int64_t n);
  /// store for values that are bf16 values already.
  void (*store_exact_bf16)(const float* from, void* to, std::int64_t n);
  /// sums[c] += x[r, c] over r.
  void (*column_sums)(const float* x, std::int64_t rows, std::int64_t columns, float* sums);
  /// first[c] += x - shift, second[c] += (x - shift)^2, all in double.
  void (*column_moments)(const float* x, std::int64_t rows, std::int64_t columns, const float* shift,
                         double* first, double* second);
  double (*sum)(const float* x, std::int64_t n);
  bool (*any_nonfinite)(DType, const void* x, std::int64_t n);
  void (*adam)(const AdamArguments&, std::int64_t begin, std::int64_t end);
};

/// The best that this processor can run, and ONEDNN_MAX_CPU_ISA allows.
const Kernels& kernels();

}  // namespace halfling::cpu
