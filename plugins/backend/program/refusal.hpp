// SPDX-License-Identifier: Apache-2.0
// What a backend that runs programs says to Backend::refusal.
#pragma once

#include <initializer_list>
#include <string>

#include "halfling/graph.hpp"

namespace halfling::program {

/// Whether a program can have this op. One that comes later is refused until lowering has a rule for it.
bool has_op(Op op);

/// Empty where a program can be made of the node, else the reason. `accumulates`: the formats in which the
/// device's contractions can accumulate, f32 first.
std::string refusal_of(const Graph& graph, const Node& node, std::initializer_list<DType> accumulates);

}  // namespace halfling::program
