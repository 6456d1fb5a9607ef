// SPDX-License-Identifier: Apache-2.0
// Pads channels with zeros to multiples of 8, once, instead of in every call of cuDNN: a graph to a graph of
// ordinary ops that computes the same.
//
// Contractions get operands whose channels are multiples of 8; their results keep the padding for as long as
// it costs nothing and a later contraction wants it. States are padded where a contraction reads them through
// ops that keep zeros zero, and what belongs to such a state (moments, channel vectors) likewise. Inputs and
// outputs are never padded.
//
// Padding is zero, and stays so: a gradient of zeros leaves moments and weights of zero. Only where an
// infinity or a NaN meets it (0 * inf) it turns NaN, and then all elements beside it in the unpadded graph
// are not finite either, so both graphs find the same overflows and skip the same updates; what differs is
// that such an element may be a NaN in the padded graph where it is an infinity in the other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling::cudnn {

/// How a state looks from outside and how it is kept; the same where it is not padded.
struct StateLayout {
  std::string name;
  DType dtype = DType::f32;
  Shape logical;
  Shape padded;
};

struct PaddedGraph {
  Graph graph;                      ///< valid where the given one is; the same where nothing needs padding
  std::vector<StateLayout> states;  ///< by state of the graph
};

/// `known`: states that exist already, because another graph was compiled before; they keep their layout.
/// Throws Error where a known layout is not one of this state.
PaddedGraph pad(const Graph& graph, std::span<const StateLayout> known = {});

/// Copies a whole state, densely packed in the order of its axes; pad_state fills up with zeros. Both throw
/// Error where a buffer has another size than the layout.
void pad_state(const StateLayout& state, std::span<const std::byte> logical, std::span<std::byte> padded);
void unpad_state(const StateLayout& state, std::span<const std::byte> padded, std::span<std::byte> logical);

}  // namespace halfling::cudnn
