// SPDX-License-Identifier: Apache-2.0
// What a backend tells about a device.
#pragma once

#include <cstdint>
#include <string>

#include "halfling/dtype.hpp"

namespace halfling {

/// How a device computes a number format: in hardware, by reproducing its rounding only, or not at all.
enum class FormatSupport : std::uint8_t { none, emulated, native };

struct Device {
  std::string name;          ///< "AMD EPYC 9B45, 2 threads"
  std::uint64_t memory = 0;  ///< bytes; 0 where unknown
  FormatSupport f64 = FormatSupport::none;
  FormatSupport f32 = FormatSupport::none;
  FormatSupport tf32 = FormatSupport::none;
  FormatSupport f16 = FormatSupport::none;
  FormatSupport bf16 = FormatSupport::none;
  std::string library;  ///< "oneDNN 3.2.0, avx512_core_bf16"

  FormatSupport support(DType format) const {
    switch (format) {
      case DType::f64:
        return f64;
      case DType::tf32:
        return tf32;
      case DType::f16:
        return f16;
      case DType::bf16:
        return bf16;
      default:
        return f32;
    }
  }
};

}  // namespace halfling
