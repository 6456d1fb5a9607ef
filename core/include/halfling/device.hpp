// SPDX-License-Identifier: Apache-2.0
// What a backend tells about a device.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "halfling/dtype.hpp"

namespace halfling {

/// How a device computes a number format: in hardware, by reproducing its rounding only, or not at all.
enum class FormatSupport : std::uint8_t { none, emulated, native };

/// "none", "emulated", "native".
HALFLING_API std::string_view name_of(FormatSupport support);

/// By floating format; none unless said: {{DType::f32, FormatSupport::native}, …}.
class FormatTable {
 public:
  struct Entry {
    DType format;
    FormatSupport support;
  };
  FormatTable() = default;
  FormatTable(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) (*this)[entry.format] = entry.support;
  }
  FormatSupport& operator[](DType floating) { return table_.at(static_cast<std::size_t>(floating)); }
  FormatSupport operator[](DType floating) const { return table_.at(static_cast<std::size_t>(floating)); }

 private:
  std::array<FormatSupport, std::size(floating_formats)> table_{};
};

struct Device {
  std::string name;          ///< "AMD EPYC 9B45, 2 threads"
  std::uint64_t memory = 0;  ///< bytes; 0 where unknown
  bool own_memory = false;   ///< of its own; else it computes in the memory of this process
  int threads = 1;           ///< of this process that compute
  FormatTable formats{};
  std::string library{};  ///< "oneDNN 3.2.0, avx512_core_bf16"

  /// Every device has the formats that are not floating.
  FormatSupport support(DType format) const {
    return is_float(format) ? formats[format] : FormatSupport::native;
  }
};

}  // namespace halfling
