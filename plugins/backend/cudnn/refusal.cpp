// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

#include <fmt/format.h>

namespace halfling::cudnn {

std::string refusal_of(const Graph& graph, const Node& node) {
  constexpr const char* wide = "f64 is not computed here; use backend \"reference\"";
  for (const auto* list : {&node.operands, &node.results})
    for (const ValueId id : *list)
      if (graph.value(id).dtype == DType::f64) return wide;
  if (node.compute == DType::f64) return wide;
  if (class_of(node.op) == OpClass::contraction && node.compute != DType::f32 && node.compute != DType::tf32)
    return fmt::format("contractions accumulate in f32, not in {}", name_of(node.compute));
  return {};
}

}  // namespace halfling::cudnn
