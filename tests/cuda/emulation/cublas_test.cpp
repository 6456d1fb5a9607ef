// SPDX-License-Identifier: Apache-2.0
// cuBLAS in the emulation: right where the plugin asks for what is right, visibly wrong elsewhere.
#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "cudnn/device_buffer.hpp"
#include "halfling/dtype.hpp"

using namespace halfling;
using namespace halfling::cudnn;

namespace {

template <class T>
DeviceBuffer upload(const std::vector<T>& values) {
  DeviceBuffer buffer(values.size() * sizeof(T));
  check(cudaMemcpy(buffer.data(), values.data(), buffer.size(), cudaMemcpyHostToDevice), "copy");
  return buffer;
}

template <class T>
std::vector<T> download(const DeviceBuffer& buffer) {
  check(cudaDeviceSynchronize(), "wait");
  std::vector<T> values(buffer.size() / sizeof(T));
  check(cudaMemcpy(values.data(), buffer.data(), buffer.size(), cudaMemcpyDeviceToHost), "copy");
  return values;
}

struct Blas {
  Stream stream = make_stream();
  cublasHandle_t handle = nullptr;
  Blas() {
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(handle, stream.get()) == CUBLAS_STATUS_SUCCESS);
  }
  ~Blas() { cublasDestroy(handle); }

  cublasStatus_t gemm(bool ta, bool tb, int m, int n, int k, const DeviceBuffer& a, int lda,
                      const DeviceBuffer& b, int ldb, float beta, const DeviceBuffer& c, int ldc,
                      cudaDataType in = CUDA_R_32F, cudaDataType out = CUDA_R_32F,
                      cublasComputeType_t compute = CUBLAS_COMPUTE_32F_PEDANTIC) {
    const float alpha = 2;
    return cublasGemmEx(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                        &alpha, a.data(), in, lda, b.data(), in, ldb, &beta, c.data(), out, ldc, compute,
                        CUBLAS_GEMM_DEFAULT);
  }
};

}  // namespace

TEST_CASE("a matrix product, column by column, with every transposition") {
  Blas blas;
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, a_transposed = {1, 3, 5, 2, 4, 6};  // 2 x 3
  const std::vector<float> b = {1, 0, 2, 0, 1, 1}, b_transposed = {1, 0, 0, 1, 2, 1};  // 3 x 2
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      const auto device_a = upload(ta ? a_transposed : a), device_b = upload(tb ? b_transposed : b);
      const auto c = upload(std::vector<float>{1, 1, 9, 1, 1});  // a stride of 3
      REQUIRE(blas.gemm(ta, tb, 2, 2, 3, device_a, ta ? 3 : 2, device_b, tb ? 2 : 3, 1, c, 3) ==
              CUBLAS_STATUS_SUCCESS);
      CHECK(download<float>(c) == std::vector<float>{23, 29, 9, 17, 21});
    }
}

TEST_CASE("a product that does not add does not read") {
  Blas blas;
  const auto a = upload(std::vector<float>{3}), c = upload(std::vector<float>{NAN});
  REQUIRE(blas.gemm(false, false, 1, 1, 1, a, 1, a, 1, 0, c, 1) == CUBLAS_STATUS_SUCCESS);
  CHECK(download<float>(c)[0] == 18);
}

TEST_CASE("TF32 only where it is asked for") {
  Blas blas;
  const auto a = upload(std::vector<float>{1 + 0x1p-12f}), one = upload(std::vector<float>{1});
  const auto c = upload(std::vector<float>{0});
  const auto product = [&](cublasComputeType_t compute) {
    REQUIRE(blas.gemm(false, false, 1, 1, 1, a, 1, one, 1, 0, c, 1, CUDA_R_32F, CUDA_R_32F, compute) ==
            CUBLAS_STATUS_SUCCESS);
    return download<float>(c)[0];
  };
  CHECK(product(CUBLAS_COMPUTE_32F) == 2 + 0x1p-11f);
  CHECK(product(CUBLAS_COMPUTE_32F_FAST_TF32) == 2);
  REQUIRE(cublasSetMathMode(blas.handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
  CHECK(product(CUBLAS_COMPUTE_32F) == 2);
  CHECK(product(CUBLAS_COMPUTE_32F_PEDANTIC) == 2 + 0x1p-11f);
}

TEST_CASE("partial sums are kept in half unless that is forbidden") {
  Blas blas;
  const auto half = [](std::vector<float> values) {
    std::vector<std::uint16_t> bits;
    for (const float value : values) bits.push_back(f16_bits(value));
    return upload(bits);
  };
  const auto a = half({60000, 60000, -60000, -60000}), ones = half({1, 1, 1, 1}), c = half({0});
  const auto product = [&] {
    REQUIRE(blas.gemm(false, false, 1, 1, 4, a, 1, ones, 4, 0, c, 1, CUDA_R_16F, CUDA_R_16F,
                      CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
    return f16_value(download<std::uint16_t>(c)[0]);
  };
  CHECK(!std::isfinite(product()));
  REQUIRE(cublasSetMathMode(blas.handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) ==
          CUBLAS_STATUS_SUCCESS);
  CHECK(product() == 0);
}

TEST_CASE("products that cuBLAS refuses") {
  Blas blas;
  const auto a = upload(std::vector<float>(4, 1.f)), c = upload(std::vector<float>(4, 0.f));
  CHECK(blas.gemm(false, false, 2, 2, 2, a, 1, a, 2, 0, c, 2) == CUBLAS_STATUS_INVALID_VALUE);  // lda < m
  CHECK(blas.gemm(false, false, 2, 2, 3, a, 2, a, 3, 0, c, 2) == CUBLAS_STATUS_INVALID_VALUE);  // too small
  CHECK(blas.gemm(false, false, 1, 1, 1, a, 1, a, 1, 0, c, 1, CUDA_R_32F, CUDA_R_16F) ==
        CUBLAS_STATUS_NOT_SUPPORTED);
  float host = 1;
  const float one = 1;
  CHECK(cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &host, CUDA_R_32F, 1, a.data(),
                     CUDA_R_32F, 1, &one, c.data(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_INVALID_VALUE);
  check(cudaDeviceSynchronize(), "wait");
}
