// SPDX-License-Identifier: Apache-2.0
// Which extents of a node can be padded with zeros, op by op.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling::cudnn {

/// What Tensor Cores and cuDNN's quick engines want extents of channels to be multiples of.
inline constexpr std::int64_t channel_multiple = 8;

constexpr std::int64_t padded_extent(std::int64_t extent) {
  return (extent + channel_multiple - 1) / channel_multiple * channel_multiple;
}

/// An axis of one of a node's operands or results.
struct Axis {
  int slot = 0;  ///< which operand or result
  int axis = 0;
};

/// An extent that operands and results of a node have in common. With zeros behind the elements of all these
/// operands, the elements of the results are the same, and behind them are zeros too. (Except for values that
/// are not finite, see pad.hpp.) Operands that are not listed have extent 1 there and broadcast.
struct Dimension {
  std::int64_t extent = 0;
  std::vector<Axis> operands;  ///< empty: the node can make the zeros itself
  std::vector<Axis> results;
  bool demanded = false;  ///< a contraction wants a multiple of channel_multiple here
  bool odd() const { return extent % channel_multiple != 0; }
};

/// All of a node's dimensions; every other axis has to keep its extent.
std::vector<Dimension> dimensions_of(const Graph& graph, const Node& node);

}  // namespace halfling::cudnn
