// SPDX-License-Identifier: Apache-2.0
// What this GPU reaches at best, as JSON: FLOP/s of a large matrix product in each format, and bytes per
// second of a copy. The measure for tests/cuda/timing.py.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

void check(int status, const char* call) {
  if (status == 0) return;
  std::fprintf(stderr, "gpu_limit: %s failed with status %d\n", call, status);
  std::exit(1);
}

constexpr int size = 8192, repeats = 10;
constexpr std::size_t bytes = std::size_t{4} * size * size;

struct Memory {
  void *a = nullptr, *b = nullptr, *c = nullptr;
  Memory() {
    for (void** pointer : {&a, &b, &c}) {
      check(cudaMalloc(pointer, bytes), "cudaMalloc");
      check(cudaMemset(*pointer, 0x3c, bytes), "cudaMemset");  // about 0.01 in every format
    }
  }
};

/// Seconds of one call, the first left out.
template <class Call>
double seconds(const Call& call) {
  cudaEvent_t begin{}, end{};
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  call();
  check(cudaEventRecord(begin, nullptr), "cudaEventRecord");
  for (int i = 0; i < repeats; ++i) call();
  check(cudaEventRecord(end, nullptr), "cudaEventRecord");
  check(cudaEventSynchronize(end), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds) / repeats;
}

double product(cublasHandle_t blas, const Memory& memory, cudaDataType_t type, cublasComputeType_t compute) {
  const float one = 1, zero = 0;
  return 2.0 * size * size * size / seconds([&] {
           check(
               cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, memory.a, type, size,
                            memory.b, type, size, &zero, memory.c, type, size, compute, CUBLAS_GEMM_DEFAULT),
               "cublasGemmEx");
         });
}

}  // namespace

int main() {
  cublasHandle_t blas{};
  check(cublasCreate(&blas), "cublasCreate");
  const Memory memory;
  const double fp32 = product(blas, memory, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC);
  const double tf32 = product(blas, memory, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  const double fp16 = product(blas, memory, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  const double bf16 = product(blas, memory, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  const double copy = 2.0 * bytes / seconds([&] {
                        check(cudaMemcpyAsync(memory.b, memory.a, bytes, cudaMemcpyDeviceToDevice, nullptr),
                              "cudaMemcpyAsync");
                      });
  std::printf("{\"fp32\": %.6g, \"tf32\": %.6g, \"fp16\": %.6g, \"bf16\": %.6g, \"bandwidth\": %.6g}\n", fp32,
              tf32, fp16, bf16, copy);
}
