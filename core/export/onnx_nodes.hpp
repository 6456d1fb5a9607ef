// SPDX-License-Identifier: Apache-2.0
// The nodes of an ONNX graph that stand for one node of ours.
#pragma once

#include <string>
#include <vector>

#include "halfling/graph.hpp"
#include "halfling/protobuf.hpp"

namespace halfling {

/// Elements of an ONNX tensor.
enum class OnnxType : int { f32 = 1, i32 = 6, i64 = 7 };

/// TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9 (little-endian).
ProtobufMessage onnx_tensor(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims,
                            std::string_view raw);

class OnnxNodes {
 public:
  /// `other`: the same graph for another batch size; what differs in shape is the batch.
  OnnxNodes(const Graph& graph, const Graph& other) : graph_(graph), other_(other) {}

  void add(const Node& node);
  /// In order, and the constants that they need.
  const std::vector<ProtobufMessage>& nodes() const { return nodes_; }
  const std::vector<ProtobufMessage>& constants() const { return constants_; }

  static std::string name_of(const Graph& graph, ValueId value);
  /// The extents, -1 where it is the batch's. Throws Error where more than one is.
  std::vector<std::int64_t> dims_of(ValueId value) const;

 private:
  void add_matmul(const Node& node);
  void add_convolution(const Node& node);
  void add_affine(const Node& node);
  void add_reshape(const Node& node);
  void add_one_hot(const Node& node);
  void add_slice(const Node& node);
  void add_constant(const Node& node);
  bool add_plain(const Node& node);
  std::string constant(OnnxType type, const std::vector<std::int64_t>& dims, std::string_view raw);
  std::string scalar(double value);
  std::string integers(const std::vector<std::int64_t>& values);
  std::string temporary();
  ProtobufMessage& append(const char* type, const std::vector<std::string>& inputs,
                          const std::string& output);
  std::vector<std::string> operands_of(const Node& node) const;
  std::string result_of(const Node& node) const;

  const Graph &graph_, &other_;
  std::vector<ProtobufMessage> nodes_, constants_;
  int made_ = 0;
};

}  // namespace halfling
