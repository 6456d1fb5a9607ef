// SPDX-License-Identifier: Apache-2.0
// How kernels start. A kernel is a function object; the same source becomes a kernel of the GPU under nvcc
// and a loop on the host under any other compiler, where tests/cuda/emulation stands in for the CUDA runtime.
// Only *.cu files include this.
//
//   struct Scale {
//     const float* x; float* y; float factor;
//     HALFLING_DEVICE void operator()(std::int64_t i) const { y[i] = factor * x[i]; }
//   };
//   launch_elements(stream, count, Scale{x, y, 2});
//
// With shared memory a kernel is a sequence of phases with a barrier after each. What is kept from one phase
// to the next lies in shared memory; statements between phases are run by every thread alike and write
// nothing.
//
//   struct RowSum {
//     const float* x; float* y; int columns;
//     HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
//       float* part = block.shared<float>();
//       block.each([&](int thread) {
//         part[thread] = 0;
//         for (int c = thread; c < columns; c += block.threads) part[thread] += x[block.index * columns + c];
//       });
//       for (int half = block.threads / 2; half > 0; half /= 2)
//         block.each([&](int thread) { if (thread < half) part[thread] += part[thread + half]; });
//       block.each([&](int thread) { if (thread == 0) y[block.index] = part[0]; });
//     }
//   };
//   launch_blocks(stream, rows, 256, 256 * sizeof(float), RowSum{x, y, columns});
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda_error.hpp"

#if defined(__CUDACC__)
#define HALFLING_DEVICE __host__ __device__
#else
#define HALFLING_DEVICE
#include <cstring>
#include <functional>
#include <memory>
#endif

namespace halfling::cudnn {

/// On the host: calls f(i) for each i in [0, count), in turn from the end and from the beginning, so that
/// what depends on the order of elements, blocks or threads differs from one call to the next.
template <class Index, class F>
void for_each_in_turn(Index count, const F& f) {
  static bool forwards = true;
  forwards = !forwards;
  for (Index i = 0; i < count; ++i) f(forwards ? i : count - 1 - i);
}

inline constexpr int most_threads = 1024;                    ///< of a block
inline constexpr std::size_t most_shared_bytes = 48 * 1024;  ///< of a block, on every device

/// A block of threads, as a kernel sees it.
struct ThreadBlock {
  std::int64_t index;
  int threads;
  void* memory;  ///< shared by the block's threads, aligned to 16 bytes, undefined at first

  template <class T>
  HALFLING_DEVICE T* shared() const {
    return static_cast<T*>(memory);
  }
  /// Calls f(thread) for every thread of the block, in any order, and waits for all of them.
  template <class F>
  HALFLING_DEVICE void each(const F& f) const {
#if defined(__CUDA_ARCH__)
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
#else
    for_each_in_turn(threads, f);
#endif
  }
};

/// Return the value from before.
HALFLING_DEVICE inline int atomic_add(int* target, int value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(target, value);
#else
  const int before = *target;
  *target += value;
  return before;
#endif
}
HALFLING_DEVICE inline int atomic_or(int* target, int value) {
#if defined(__CUDA_ARCH__)
  return atomicOr(target, value);
#else
  const int before = *target;
  *target |= value;
  return before;
#endif
}

/// What can be the parameter of a kernel.
template <class Body>
inline constexpr bool is_kernel = std::is_trivially_copyable_v<Body> && sizeof(Body) <= 4096 - 64;

/// A kernel of blocks may bound its registers: by the most `threads` that it is launched with, and by how
/// many such blocks a multiprocessor shall hold (`resident_blocks`).
template <class Body>
inline constexpr int bound_threads = [] {
  if constexpr (requires { Body::threads; })
    return Body::threads;
  else
    return most_threads;
}();
template <class Body>
inline constexpr int bound_blocks = [] {
  if constexpr (requires { Body::resident_blocks; })
    return Body::resident_blocks;
  else
    return 1;
}();

#if defined(__CUDACC__)

inline constexpr std::int64_t most_blocks = 2147483647;

template <class Body>
__global__ void for_each_element(std::int64_t count, Body body) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    body(i);
}

template <class Body>
__global__ void __launch_bounds__(bound_threads<Body>, bound_blocks<Body>)
    for_each_block(std::int64_t blocks, Body body) {
  extern __shared__ __align__(16) unsigned char block_memory[];
  for (std::int64_t index = blockIdx.x; index < blocks; index += gridDim.x) {
    body(ThreadBlock{index, static_cast<int>(blockDim.x), block_memory});
    __syncthreads();  // before the next one writes to the memory
  }
}

#else

}  // namespace halfling::cudnn

/// The emulation's: queues work on a stream as a launch does.
cudaError_t halfling_emulate_launch(cudaStream_t stream, int threads, std::size_t shared_bytes,
                                    std::function<void()> work);

namespace halfling::cudnn {

#endif

/// Calls body(i) for each i in [0, count), in any order and at the same time. Throws Error where the launch
/// fails; what goes wrong later shows at the next synchronisation.
template <class Body>
void launch_elements(cudaStream_t stream, std::int64_t count, Body body) {
  static_assert(is_kernel<Body>);
  if (count == 0) return;
  constexpr int threads = 256;
#if defined(__CUDACC__)
  const std::int64_t blocks = (count + threads - 1) / threads;
  for_each_element<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, 0,
                     stream>>>(count, body);
  check(cudaGetLastError(), __PRETTY_FUNCTION__);
#else
  const auto work = [count, body] { for_each_in_turn(count, body); };
  check(halfling_emulate_launch(stream, threads, 0, work), __PRETTY_FUNCTION__);
#endif
}

/// Calls body(block) for each block, in any order and at the same time. At most `most_threads` threads
/// (better a multiple of 32) and `most_shared_bytes`.
template <class Body>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, int threads, std::size_t shared_bytes,
                   Body body) {
  static_assert(is_kernel<Body>);
  if (blocks == 0) return;
#if defined(__CUDACC__)
  for_each_block<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, shared_bytes,
                   stream>>>(blocks, body);
  check(cudaGetLastError(), __PRETTY_FUNCTION__);
#else
  const auto work = [blocks, threads, shared_bytes, body] {
    const auto memory = std::make_unique<std::byte[]>(shared_bytes);
    for_each_in_turn(blocks, [&](std::int64_t index) {
      std::memset(memory.get(), 0xFF, shared_bytes);  // NaN in every format
      body(ThreadBlock{index, threads, memory.get()});
    });
  };
  if (threads > bound_threads<Body>) check_failed(cudaErrorInvalidConfiguration, __PRETTY_FUNCTION__);
  check(halfling_emulate_launch(stream, threads, shared_bytes, work), __PRETTY_FUNCTION__);
#endif
}

}  // namespace halfling::cudnn
