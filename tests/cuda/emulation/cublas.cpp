// SPDX-License-Identifier: Apache-2.0
// What the plugin uses of cuBLAS: one matrix product. As in cuBLAS matrices lie column by column.
#include <cublas_v2.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "arithmetic.hpp"
#include "device.hpp"
#include "handles.hpp"
#include "memory.hpp"
#include "streams.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  unsigned math_mode = CUBLAS_DEFAULT_MATH;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace emulation {
namespace {

constexpr std::size_t used_workspace = 64 * 1024;  // bytes that a product spoils

Handles<cublasContext> contexts;

struct Matrix {
  DType type;
  void* data;
  std::int64_t rows, columns;  // as it lies in memory
  std::int64_t stride;         // between columns
  bool transposed;

  bool is_valid() const {
    return stride >= std::max<std::int64_t>(1, rows) &&
           on_device(data, static_cast<std::size_t>((columns - 1) * stride + rows) * halfling::size_of(type));
  }
  std::int64_t index(std::int64_t row, std::int64_t column) const {
    return transposed ? column + row * stride : row + column * stride;
  }
};

struct Product {
  Matrix a, b, c;
  std::int64_t m, n, k;
  float alpha, beta;
  Operands operands;
  bool splits_k;  // sums of parts of k are kept in the result's format

  /// op(A), column by column, as the multipliers see it.
  std::vector<float> pack_a() const {
    std::vector<float> packed(static_cast<std::size_t>(m * k));
    const auto whole = load(a.type, a.data, (a.columns - 1) * a.stride + a.rows, operands);
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t i = 0; i < m; ++i)
        packed[static_cast<std::size_t>(p * m + i)] = whole[static_cast<std::size_t>(a.index(i, p))];
    return packed;
  }

  void operator()() const {
    const auto packed = pack_a();
    const auto whole_b = load(b.type, b.data, (b.columns - 1) * b.stride + b.rows, operands);
    std::vector<double> sums(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < n; ++j) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::int64_t p = 0; p < k; ++p) {
        const double factor = whole_b[static_cast<std::size_t>(b.index(p, j))];
        const float* column = packed.data() + p * m;
        for (std::int64_t i = 0; i < m; ++i) sums[static_cast<std::size_t>(i)] += column[i] * factor;
        if (splits_k && p + 1 == k / 2)
          for (double& sum : sums) sum = halfling::round_to(c.type, sum);
      }
      for (std::int64_t i = 0; i < m; ++i) {
        double value = alpha * sums[static_cast<std::size_t>(i)];
        if (beta != 0) value += beta * load_one(c.type, c.data, c.index(i, j));
        store_one(c.type, c.data, c.index(i, j), value);
      }
    }
  }
};

std::optional<DType> format_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return DType::f32;
    case CUDA_R_16F:
      return DType::f16;
    case CUDA_R_16BF:
      return DType::bf16;
    default:
      return std::nullopt;
  }
}

bool is_supported(DType a, DType b, DType c, cublasComputeType_t compute) {
  if (a != b || (c != a && c != DType::f32)) return false;
  if (a == DType::bf16 && !has_bf16_and_tf32()) return false;
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) return a == DType::f32;
  return compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC;
}

Operands operands_of(const cublasContext& context, DType type, cublasComputeType_t compute) {
  if (type != DType::f32 || !has_bf16_and_tf32()) return Operands::exact;
  const bool allowed =
      compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
      (compute == CUBLAS_COMPUTE_32F && (context.math_mode & 0xf) == CUBLAS_TF32_TENSOR_OP_MATH);
  return allowed ? Operands::tf32 : Operands::exact;
}

bool keeps_partial_sums_in_half(const cublasContext& context, DType result, cublasComputeType_t compute) {
  return halfling::is_half(result) && compute != CUBLAS_COMPUTE_32F_PEDANTIC &&
         (context.math_mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == 0;
}

void launch(const cublasContext& context, const Product& product) {
  CUstream_st& stream = *find_stream(context.stream);
  enqueue(stream, product);
  if (context.workspace != nullptr)
    enqueue(stream, [at = context.workspace, bytes = std::min(context.workspace_bytes, used_workspace)] {
      std::memset(at, 0xFF, bytes);
    });
}

}  // namespace
}  // namespace emulation

using namespace emulation;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (refuse_while_capturing() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = contexts.add(new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return contexts.remove(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!contexts.contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (find_stream(stream) == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  handle->stream = stream;
  handle->workspace = nullptr;  // as cuBLAS says of cublasSetStream
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  if (!contexts.contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!on_device(workspace, bytes) || reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (!contexts.contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->math_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                            const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (!contexts.contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto a_format = format_of(a_type), b_format = format_of(b_type), c_format = format_of(c_type);
  if (!a_format || !b_format || !c_format || !is_supported(*a_format, *b_format, *c_format, compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m < 0 || n < 0 || k < 1 || on_device(alpha, sizeof(float)) || on_device(beta, sizeof(float)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
  const Product product{
      .a = {*a_format, const_cast<void*>(a), ta ? k : m, ta ? m : k, lda, ta},
      .b = {*b_format, const_cast<void*>(b), tb ? n : k, tb ? k : n, ldb, tb},
      .c = {*c_format, c, m, n, ldc, false},
      .m = m,
      .n = n,
      .k = k,
      .alpha = *static_cast<const float*>(alpha),
      .beta = *static_cast<const float*>(beta),
      .operands = operands_of(*handle, *a_format, compute),
      .splits_k = keeps_partial_sums_in_half(*handle, *c_format, compute),
  };
  if (!product.a.is_valid() || !product.b.is_valid() || !product.c.is_valid())
    return CUBLAS_STATUS_INVALID_VALUE;
  launch(*handle, product);
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS of the emulation unknown";
  }
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

}  // extern "C"
