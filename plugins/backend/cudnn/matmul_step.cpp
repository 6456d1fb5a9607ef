// SPDX-License-Identifier: Apache-2.0
// cuBLAS reads matrices by columns: a matrix by rows is, to it, the transposed one. So y = a b becomes
// y^T = b^T a^T, and the operands change places.
#include "halfling/error.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

struct Compute {
  cublasComputeType_t type;
  const char* name;
};

/// f32 is strict: no tensor core that rounds its operands. Half formats accumulate in f32.
Compute compute_of(DType compute, DType operands) {
  if (is_half(operands)) return {CUBLAS_COMPUTE_32F, "cublas COMPUTE_32F"};
  if (compute == DType::tf32) return {CUBLAS_COMPUTE_32F_FAST_TF32, "cublas COMPUTE_32F_FAST_TF32"};
  return {CUBLAS_COMPUTE_32F_PEDANTIC, "cublas COMPUTE_32F_PEDANTIC"};
}

struct Matrix {
  const std::byte* data;
  int row;  ///< its length in memory
  cublasOperation_t operation;
};

class MatmulStep final : public Step {
 public:
  MatmulStep(const StepContext& context, const Item& item) : blas_(context.libraries.blas) {
    const Node& node = context.graph.node(item.node);
    const auto& attributes = std::get<MatmulAttributes>(node.attributes);
    const Slot &a = context.program.slot(item.in[0]), &y = context.program.slot(item.out[0]);
    a_ = matrix(context, item.in[0], attributes.transpose_a);
    b_ = matrix(context, item.in[1], attributes.transpose_b);
    y_ = context.address(item.out[0]);
    m_ = static_cast<int>(y.shape[0]);
    n_ = static_cast<int>(y.shape[1]);
    k_ = static_cast<int>(a.shape[attributes.transpose_a ? 0 : 1]);
    operands_ = data_type(a.dtype);
    result_ = data_type(y.dtype);
    compute_ = compute_of(node.compute, a.dtype);
    beta_ = item.in.size() == 3 ? 1.0f : 0.0f;
  }
  std::string implementation() const override { return compute_.name; }

  void run(cudaStream_t) override {
    const float alpha = 1;
    const cublasStatus_t status =
        cublasGemmEx(blas_, b_.operation, a_.operation, n_, m_, k_, &alpha, b_.data, operands_, b_.row,
                     a_.data, operands_, a_.row, &beta_, y_, result_, n_, compute_.type, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS)
      throw Error({.what = "cuBLAS refused a matrix product",
                   .where = "backend cudnn, cublasGemmEx",
                   .got = std::string(cublasGetStatusName(status)) + ": " + cublasGetStatusString(status),
                   .expected = {},
                   .hint = {}});
  }

 private:
  static Matrix matrix(const StepContext& context, Ref ref, bool transposed) {
    return {context.address(ref), static_cast<int>(context.program.slot(ref).shape[1]),
            transposed ? CUBLAS_OP_T : CUBLAS_OP_N};
  }

  cublasHandle_t blas_;
  Matrix a_{}, b_{};
  std::byte* y_;
  int m_, n_, k_;
  cudaDataType_t operands_, result_;
  Compute compute_{};
  float beta_;  ///< 1: added to what lies there
};

}  // namespace

StepPointer make_matmul_step(const StepContext& context, const Item& item) {
  return std::make_unique<MatmulStep>(context, item);
}

}  // namespace halfling::cudnn
