// SPDX-License-Identifier: Apache-2.0
// One rule: "OPS [@ LAYERS] = FORMAT[/COMPUTE]".
//
//   OPS, LAYERS  patterns with *, several with commas; an op pattern may also name a class: "contraction"
//   FORMAT       what operands and results are stored in: f16, bf16, f32, or `follow`: the widest operand's
//   COMPUTE      f32 (the default), or tf32 of stored f32
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../pattern.hpp"
#include "halfling/error.hpp"
#include "halfling/precision.hpp"

namespace halfling {

struct Rule {
  std::string text;
  std::vector<std::string> ops;
  std::vector<std::string> layers;  ///< {"*"} where the rule names none
  Precision answer;

  bool matches(const Node& node) const {
    return std::ranges::any_of(ops, [&](const auto& pattern) { return matches_op(pattern, node.op); }) &&
           std::ranges::any_of(layers,
                               [&](const auto& pattern) { return halfling::matches(pattern, node.scope); });
  }
};

[[noreturn]] inline void refuse_rule(const std::string& rule, const std::string& what,
                                     const std::string& expected) {
  throw Error({.what = what,
               .where = "precision.rules",
               .got = rule,
               .expected = expected,
               .hint = "for example \"contraction @ d.* = f16/f32\"",
               .kind = ErrorKind::usage});
}

inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

inline std::vector<std::string> patterns(const std::string& rule, const std::string& list) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.push_back(trimmed(list.substr(begin, end - begin)));
    if (result.back().empty())
      refuse_rule(rule, "a rule has an empty pattern", "OPS @ LAYERS = FORMAT/COMPUTE");
    begin = end + 1;
  }
  return result;
}

inline Precision parse_formats(const std::string& rule, const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string io = trimmed(text.substr(0, slash));
  const std::string compute = slash == std::string::npos ? "f32" : trimmed(text.substr(slash + 1));
  Precision answer;
  for (const DType format : {DType::f16, DType::bf16, DType::f32})
    if (name_of(format) == io) answer.io = format;
  if (!answer.io && io != "follow")
    refuse_rule(rule, "a rule has an unknown format", "f16, bf16, f32 or follow after the =");
  if (compute == "tf32" && answer.io == DType::f32)
    answer.compute = DType::tf32;
  else if (compute != "f32")
    refuse_rule(rule, "a rule has an unknown format to compute in", "f32 after the /, or tf32 in f32/tf32");
  return answer;
}

/// Throws Error (usage) where the text is not a rule or names no op.
inline Rule parse_rule(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse_rule(text, "a rule has no =", "OPS @ LAYERS = FORMAT/COMPUTE");
  const std::string left = text.substr(0, equals);
  const std::size_t at = left.find('@');
  const std::string layers = at == std::string::npos ? "*" : left.substr(at + 1);
  const Rule rule{text, patterns(text, left.substr(0, at)), patterns(text, layers),
                  parse_formats(text, text.substr(equals + 1))};
  for (const std::string& pattern : rule.ops)
    if (!matches_any_op(pattern))
      refuse_rule(text, "a rule names an op that does not exist: " + pattern, op_pattern_help);
  return rule;
}

}  // namespace halfling
