// SPDX-License-Identifier: Apache-2.0
#include "machine_limit.hpp"

#include <algorithm>
#include <chrono>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace halfling::bench {
namespace {

double seconds_of(auto&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double fastest(int repeats, auto&& action) {
  action();
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) best = std::min(best, seconds_of(action));
  return best;
}

}  // namespace

double gemm_rate(DType format) {
  using dnnl::memory;
  constexpr memory::dim n = 2048;
  const auto type = format == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc any({n, n}, type, memory::format_tag::any);
  const dnnl::matmul::primitive_desc description(engine, any, any, any);
  memory a(description.src_desc(), engine), b(description.weights_desc(), engine),
      c(description.dst_desc(), engine);
  for (memory* m : {&a, &b})
    std::fill_n(static_cast<std::uint8_t*>(m->get_data_handle()), m->get_desc().get_size(), 0x3c);
  const dnnl::matmul multiply(description);
  const double seconds = fastest(8, [&] {
    multiply.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    stream.wait();
  });
  return 2.0 * n * n * n / seconds;
}

double update_bandwidth() {
  constexpr std::int64_t count = 16'000'000;  // 4 arrays of 64 MB: beyond every cache
  std::vector<float> p(count, 1), m(count, 0), v(count, 0), g(count, 0.5f);
  const double seconds = fastest(6, [&] {
#pragma omp parallel for simd
    for (std::int64_t i = 0; i < count; ++i) {
      m[i] = 0.5f * m[i] + 0.5f * g[i];
      v[i] = 0.999f * v[i] + 0.001f * g[i];
      p[i] -= 1e-4f * m[i] * v[i];
    }
  });
  return 28.0 * count / seconds;
}

}  // namespace halfling::bench
