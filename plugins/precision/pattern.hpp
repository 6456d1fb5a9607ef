// SPDX-License-Identifier: Apache-2.0
// Names of ops and layers, as options of policies give them.
#pragma once

#include <string_view>

#include "halfling/op.hpp"
#include "halfling/pattern.hpp"

namespace halfling {

/// Whether the pattern fits the op's name or that of its class.
inline bool matches_op(std::string_view pattern, Op op) {
  return matches(pattern, name_of(op)) || matches(pattern, name_of(class_of(op)));
}

/// Whether a policy is asked about nodes with this op.
inline bool has_precision(Op op) {
  return class_of(op) != OpClass::source && class_of(op) != OpClass::update && op != Op::cast;
}

inline bool matches_any_op(std::string_view pattern) {
  for (int i = 0; i < op_count; ++i)
    if (const Op op = static_cast<Op>(i); has_precision(op) && matches_op(pattern, op)) return true;
  return false;
}

inline constexpr const char* op_pattern_help =
    "an op class (contraction, normalization, pointwise, reduction, loss, shape, random), an op such as "
    "conv2d, "
    "or a pattern of one with *";

}  // namespace halfling
