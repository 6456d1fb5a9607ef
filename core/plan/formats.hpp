// SPDX-License-Identifier: Apache-2.0
// Which number formats an iteration's values are stored in, by what they are: what MLPerf's logs ask for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// Of values of one kind, the elements in each format, most first.
struct FormatUse {
  std::string kind;  ///< "inputs", "weights", "weights as multiplied", "activations", "gradients",
                     ///< "optimizer states", "averages"
  std::vector<std::pair<DType, std::int64_t>> elements;
};

/// Of an iteration: images as they come, u8; else floating-point values only. Kinds of which there are none
/// are left out. Activations are what forward nodes make, gradients what backward nodes make; copies of
/// weights in another format count as "weights as multiplied" alone.
std::vector<FormatUse> formats_of(const Graph& iteration);

}  // namespace halfling
