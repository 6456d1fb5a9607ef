// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfling::program {

std::string refusal_of(const Graph& graph, const Node& node, std::initializer_list<DType> accumulates) {
  if (!has_op(node.op)) return "this backend does not have the op";
  const auto is_wide = [&](ValueId id) { return graph.value(id).dtype == DType::f64; };
  if (node.compute == DType::f64 || std::ranges::any_of(node.operands, is_wide) ||
      std::ranges::any_of(node.results, is_wide))
    return "f64 is not computed here; use backend \"reference\"";
  if (class_of(node.op) == OpClass::contraction && std::ranges::count(accumulates, node.compute) == 0)
    return fmt::format("contractions accumulate in f32, not in {}", name_of(node.compute));
  return {};
}

}  // namespace halfling::program
