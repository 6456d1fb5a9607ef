// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "halfling/graph.hpp"

namespace halfling::cudnn {

/// Empty where the backend can do the node, else the reason.
std::string refusal_of(const Graph& graph, const Node& node);

}  // namespace halfling::cudnn
