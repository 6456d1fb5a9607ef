// SPDX-License-Identifier: Apache-2.0
#include "processor.hpp"

#include <fmt/format.h>

#include <dnnl.hpp>
#include <fstream>

#include "halfling/usable_memory.hpp"

namespace halfling::cpu {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "x86-64";
}

const char* isa_name(dnnl::cpu_isa isa) {
  using enum dnnl::cpu_isa;
  switch (isa) {
    case sse41:
      return "sse41";
    case avx:
      return "avx";
    case avx2:
      return "avx2";
    case avx2_vnni:
      return "avx2_vnni";
    case avx2_vnni_2:
      return "avx2_vnni_2";
    case avx512_core:
      return "avx512_core";
    case avx512_core_vnni:
      return "avx512_core_vnni";
    case avx512_core_bf16:
      return "avx512_core_bf16";
    case avx512_core_fp16:
      return "avx512_core_fp16";
    case avx512_core_amx:
      return "avx512_core_amx";
    case avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      return "other";
  }
}

/// oneDNN's names for instruction sets are bit masks: one contains what it builds upon.
bool includes(dnnl::cpu_isa isa, dnnl::cpu_isa part) {
  const auto have = static_cast<unsigned>(isa), want = static_cast<unsigned>(part);
  return (have & want) == want;
}

bool runs_avx2() {  // every processor with AVX2 has F16C, too
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool runs_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

Processor detect() {
  Processor result;
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  result.name = model_name();
  result.memory = usable_memory();
  result.native_bf16 = includes(isa, dnnl::cpu_isa::avx512_core_bf16);
  result.matrix_unit = includes(isa, dnnl::cpu_isa::avx512_core_amx);
  // What ONEDNN_MAX_CPU_ISA keeps from oneDNN our loops leave alone, too.
  if (runs_avx2() && includes(isa, dnnl::cpu_isa::avx2))
    result.vectors =
        runs_avx512() && includes(isa, dnnl::cpu_isa::avx512_core) ? Vectors::avx512 : Vectors::avx2;
  const dnnl_version_t* version = dnnl_version();
  result.library =
      fmt::format("oneDNN {}.{}.{}, {}", version->major, version->minor, version->patch, isa_name(isa));
  return result;
}

}  // namespace

const Processor& processor() {
  static const Processor result = detect();
  return result;
}

}  // namespace halfling::cpu
