// SPDX-License-Identifier: Apache-2.0
// A network as ONNX (https://github.com/onnx/onnx, onnx.proto and docs/Operators.md), opset 17: f32, with its
// weights, for batches of any size.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

struct OnnxNetwork {
  /// Makes the graph for a batch of this size, in f32 and without random numbers. Inputs and outputs go by
  /// the names of their ports.
  std::function<Graph(std::int64_t batch)> graph;
  /// The bytes of a state, whole.
  std::function<std::vector<std::byte>(const State& state)> weights;
  std::string name, description;
  std::map<std::string, std::string> metadata;  ///< what other programs are told
};

/// The file's bytes. Throws Error that names the layer where ONNX has nothing for an op, or where a batch of
/// any size cannot be said.
std::string onnx_model(const OnnxNetwork& network);

}  // namespace halfling
