// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace halfling::cpu {

namespace sse2 {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}

const Kernels& kernels() {
  static const Kernels& best = [&]() -> const Kernels& {
    __builtin_cpu_init();
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    // every processor with AVX2 has F16C, too
    const bool middle = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (wide && middle) return avx512::table;
    return middle ? avx2::table : sse2::table;
  }();
  return best;
}

}  // namespace halfling::cpu
