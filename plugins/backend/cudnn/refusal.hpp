// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/refusal.hpp"

namespace halfling::cudnn {

/// Empty where the backend can do the node, else the reason.
inline std::string refusal_of(const Graph& graph, const Node& node) {
  return program::refusal_of(graph, node, {DType::f32, DType::tf32});
}

}  // namespace halfling::cudnn
