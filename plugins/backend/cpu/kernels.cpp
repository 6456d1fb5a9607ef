// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "processor.hpp"

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
  static const Kernels* const tables[] = {&sse2::table, &avx2::table,
                                          &avx512::table};  // as Vectors orders them
  return *tables[static_cast<std::size_t>(processor().vectors)];
}

}  // namespace halfling::cpu
