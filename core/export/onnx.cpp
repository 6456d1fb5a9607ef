// SPDX-License-Identifier: Apache-2.0
#include "export/onnx.hpp"

#include "export/onnx_nodes.hpp"
#include "halfling/plugin.hpp"

namespace halfling {
namespace {

constexpr std::uint64_t ir_version = 8, opset = 17;

OnnxType type_of(DType type) {
  return type == DType::i32 ? OnnxType::i32 : OnnxType::f32;
}

/// ValueInfoProto: name = 1, type = 2; TypeProto.tensor_type = 1: elem_type = 1, shape = 2;
/// TensorShapeProto.dim = 1: dim_value = 1, dim_param = 2.
ProtobufMessage port(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims) {
  ProtobufMessage shape;
  for (const std::int64_t dim : dims) {
    ProtobufMessage extent;
    dim < 0 ? extent.bytes(2, "N") : extent.integer(1, static_cast<std::uint64_t>(dim));
    shape.message(1, extent);
  }
  const ProtobufMessage tensor =
      ProtobufMessage().integer(1, static_cast<std::uint64_t>(type)).message(2, shape);
  return ProtobufMessage().bytes(1, name).message(2, ProtobufMessage().message(1, tensor));
}

/// GraphProto: node = 1, name = 2, initializer = 5, input = 11, output = 12.
ProtobufMessage graph_of(const OnnxNetwork& network) {
  const Graph graph = network.graph(2), other = network.graph(3);
  OnnxNodes nodes(graph, other);
  for (const Node& node : graph.nodes()) nodes.add(node);
  ProtobufMessage message;
  for (const ProtobufMessage& node : nodes.nodes()) message.message(1, node);
  for (const Port& output : graph.outputs())  // a value may have several names
    message.message(1, ProtobufMessage()
                           .bytes(1, OnnxNodes::name_of(graph, output.value))
                           .bytes(2, output.name)
                           .bytes(4, "Identity"));
  message.bytes(2, network.name);
  for (const State& state : graph.states()) {
    const std::vector<std::byte> bytes = network.weights(state);
    std::vector<std::int64_t> dims;
    for (int axis = 0; axis < state.shape.rank(); ++axis) dims.push_back(state.shape[axis]);
    message.message(5, onnx_tensor(state.name, type_of(state.dtype), dims,
                                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  for (const ProtobufMessage& constant : nodes.constants()) message.message(5, constant);
  for (const Port& input : graph.inputs())
    message.message(11,
                    port(input.name, type_of(graph.value(input.value).dtype), nodes.dims_of(input.value)));
  for (const Port& output : graph.outputs())
    message.message(12, port(output.name, OnnxType::f32, nodes.dims_of(output.value)));
  return message;
}

}  // namespace

/// ModelProto: ir_version = 1, producer_name = 2, producer_version = 3, doc_string = 6, graph = 7,
/// opset_import = 8 (version = 2), metadata_props = 14 (key = 1, value = 2).
std::string onnx_model(const OnnxNetwork& network) {
  ProtobufMessage model;
  model.integer(1, ir_version).bytes(2, "halfling").bytes(3, HALFLING_VERSION).bytes(6, network.description);
  model.message(7, graph_of(network));
  model.message(8, ProtobufMessage().bytes(1, "").integer(2, opset));
  for (const auto& [key, value] : network.metadata)
    model.message(14, ProtobufMessage().bytes(1, key).bytes(2, value));
  return model.text();
}

}  // namespace halfling
