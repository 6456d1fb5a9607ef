// SPDX-License-Identifier: Apache-2.0
// The header of a numpy array: a Python dictionary, as numpy.lib.format describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfling {

struct NpyHeader {
  std::string descr;  ///< "|u1"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Nothing where the text is no such dictionary.
std::optional<NpyHeader> parse_npy_header(std::string_view text);

/// Whether a descr is that of single unsigned bytes: they have no byte order, so that any may be named.
bool is_unsigned_byte(std::string_view descr);

}  // namespace halfling
