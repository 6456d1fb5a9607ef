// SPDX-License-Identifier: Apache-2.0
#include "export/onnx_nodes.hpp"

#include <fmt/format.h>

#include <cstring>

#include "halfling/error.hpp"

namespace halfling {
namespace {

/// AttributeProto: name = 1, f = 2, i = 3, ints = 8, type = 20 (FLOAT = 1, INT = 2, INTS = 7).
ProtobufMessage attribute(const char* name, double value) {
  return ProtobufMessage().bytes(1, name).single(2, static_cast<float>(value)).integer(20, 1);
}
ProtobufMessage attribute(const char* name, std::int64_t value) {
  return ProtobufMessage().bytes(1, name).integer(3, static_cast<std::uint64_t>(value)).integer(20, 2);
}
ProtobufMessage attribute(const char* name, const std::vector<std::int64_t>& values) {
  ProtobufMessage message;
  message.bytes(1, name);
  for (const std::int64_t value : values) message.integer(8, static_cast<std::uint64_t>(value));
  message.integer(20, 7);
  return message;
}

constexpr int attribute_field = 5;  // of a NodeProto

template <class Element>
std::string raw_of(const std::vector<Element>& values) {
  std::string raw(values.size() * sizeof(Element), '\0');
  if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

Error no_equivalent(const Node& node, std::string what) {
  return Error(
      {.what = std::move(what),
       .where = node.scope + "/" + std::string(name_of(node.op)),
       .expected = "ops of networks that draw images: products, convolutions, normalization, pointwise",
       .kind = ErrorKind::usage});
}

/// ONNX's op where it takes the same operands and no attributes; null where there is none.
const char* plain_name(Op op) {
  switch (op) {
    case Op::add:
      return "Add";
    case Op::subtract:
      return "Sub";
    case Op::multiply:
      return "Mul";
    case Op::divide:
      return "Div";
    case Op::minimum:
      return "Min";
    case Op::maximum:
      return "Max";
    case Op::sigmoid:
      return "Sigmoid";
    case Op::softplus:
      return "Softplus";
    case Op::tanh:
      return "Tanh";
    case Op::exp:
      return "Exp";
    case Op::log:
      return "Log";
    case Op::sqrt:
      return "Sqrt";
    case Op::less:
      return "Less";
    case Op::logical_or:
      return "Or";
    case Op::select:
      return "Where";
    case Op::softmax:
      return "Softmax";
    case Op::cast:  // all is f32
    case Op::detach:
      return "Identity";
    default:
      return nullptr;
  }
}

}  // namespace

ProtobufMessage onnx_tensor(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims,
                            std::string_view raw) {
  ProtobufMessage tensor;
  for (const std::int64_t dim : dims) tensor.integer(1, static_cast<std::uint64_t>(dim));
  tensor.integer(2, static_cast<std::uint64_t>(type)).bytes(8, name).bytes(9, raw);
  return tensor;
}

std::string OnnxNodes::name_of(const Graph& graph, ValueId value) {
  for (const Port& port : graph.inputs())
    if (port.value == value) return port.name;
  for (const State& state : graph.states())
    if (state.first == value) return state.name;
  return fmt::format("v{}", value);
}

std::vector<std::int64_t> OnnxNodes::dims_of(ValueId value) const {
  const Shape &one = graph_.value(value).shape, &two = other_.value(value).shape;
  std::vector<std::int64_t> dims;
  int batches = 0;
  for (int axis = 0; axis < one.rank(); ++axis) {
    batches += one[axis] == two[axis] ? 0 : 1;
    dims.push_back(one[axis] == two[axis] ? one[axis] : -1);
  }
  if (batches > 1)
    throw Error({.what = "a value's shape depends on the batch in more than one extent",
                 .where = graph_.describe(value),
                 .got = one.text(),
                 .expected = "one extent, which is the batch",
                 .kind = ErrorKind::usage});
  return dims;
}

void OnnxNodes::add(const Node& node) {
  switch (node.op) {
    case Op::input:
    case Op::state:
      return;
    case Op::constant:
      return add_constant(node);
    case Op::matmul:
      return add_matmul(node);
    case Op::conv2d:
    case Op::conv2d_input_gradient:
      return add_convolution(node);
    case Op::affine:
      return add_affine(node);
    case Op::reshape:
      return add_reshape(node);
    case Op::one_hot:
      return add_one_hot(node);
    case Op::slice:
      return add_slice(node);
    default:
      if (!add_plain(node)) throw no_equivalent(node, "ONNX export does not know this op");
  }
}

bool OnnxNodes::add_plain(const Node& node) {
  if (const char* name = plain_name(node.op)) {
    append(name, operands_of(node), result_of(node));
    return true;
  }
  if (node.op == Op::leaky_relu) {
    const double slope = std::get<SlopeAttributes>(node.attributes).slope;
    ProtobufMessage& made = append(slope == 0 ? "Relu" : "LeakyRelu", operands_of(node), result_of(node));
    if (slope != 0) made.message(attribute_field, attribute("alpha", slope));
  } else if (node.op == Op::batch_norm_inference) {
    append("BatchNormalization", operands_of(node), result_of(node))
        .message(attribute_field, attribute("epsilon", std::get<EpsilonAttributes>(node.attributes).epsilon));
  } else if (node.op == Op::concat) {
    append("Concat", operands_of(node), result_of(node))
        .message(attribute_field,
                 attribute("axis", std::int64_t{std::get<AxisAttributes>(node.attributes).axis}));
  } else if (node.op == Op::sum) {
    std::vector<std::int64_t> axes;
    for (int axis = 0; axis < graph_.value(node.operands[0]).shape.rank(); ++axis)
      if (std::get<AxesAttributes>(node.attributes).mask >> axis & 1u) axes.push_back(axis);
    std::vector<std::string> inputs = operands_of(node);
    inputs.push_back(integers(axes));
    append("ReduceSum", inputs, result_of(node));
  } else {
    return false;
  }
  return true;
}

void OnnxNodes::add_matmul(const Node& node) {
  const auto& transposed = std::get<MatmulAttributes>(node.attributes);
  ProtobufMessage& made = append("Gemm", operands_of(node), result_of(node));
  made.message(attribute_field, attribute("transA", std::int64_t{transposed.transpose_a}));
  made.message(attribute_field, attribute("transB", std::int64_t{transposed.transpose_b}));
}

/// ConvTranspose's weights are [in, out, kh, kw], as those of an input gradient are.
void OnnxNodes::add_convolution(const Node& node) {
  const auto& conv = std::get<ConvAttributes>(node.attributes);
  const bool transposed = node.op == Op::conv2d_input_gradient;
  const std::int64_t stride = conv.stride, padding = conv.padding;
  ProtobufMessage& made = append(transposed ? "ConvTranspose" : "Conv", operands_of(node), result_of(node));
  made.message(attribute_field, attribute("strides", std::vector{stride, stride}));
  made.message(attribute_field, attribute("pads", std::vector{padding, padding, padding, padding}));
  if (!transposed) return;
  const Shape &x = graph_.value(node.operands[0]).shape, &w = graph_.value(node.operands[1]).shape,
              &y = graph_.value(node.results[0]).shape;
  std::vector<std::int64_t> beyond;
  for (const int axis : {2, 3}) beyond.push_back(y[axis] - ((x[axis] - 1) * stride - 2 * padding + w[axis]));
  made.message(attribute_field, attribute("output_padding", beyond));
}

void OnnxNodes::add_affine(const Node& node) {
  const auto& affine = std::get<AffineAttributes>(node.attributes);
  const std::string scaled = temporary();
  append("Mul", {operands_of(node)[0], scalar(affine.scale)}, scaled);
  append("Add", {scaled, scalar(affine.shift)}, result_of(node));
}

void OnnxNodes::add_reshape(const Node& node) {
  append("Reshape", {operands_of(node)[0], integers(dims_of(node.results[0]))}, result_of(node));
}

/// OneHot is not there for all types of indices; a comparison with all classes is.
void OnnxNodes::add_one_hot(const Node& node) {
  std::vector<std::int32_t> classes;
  const std::int64_t count = std::get<AxisAttributes>(node.attributes).length;
  for (std::int64_t i = 0; i < count; ++i) classes.push_back(static_cast<std::int32_t>(i));
  const std::string column = temporary(), equal = temporary();
  append("Unsqueeze", {operands_of(node)[0], integers({1})}, column);
  append("Equal", {column, constant(OnnxType::i32, {1, count}, raw_of(classes))}, equal);
  append("Cast", {equal}, result_of(node))
      .message(attribute_field, attribute("to", static_cast<std::int64_t>(OnnxType::f32)));
}

void OnnxNodes::add_slice(const Node& node) {
  const auto& range = std::get<AxisAttributes>(node.attributes);
  if (dims_of(node.operands[0])[static_cast<std::size_t>(range.axis)] < 0)
    throw no_equivalent(node, "a batch of any size cannot be cut at a fixed place");
  append("Slice",
         {operands_of(node)[0], integers({range.begin}), integers({range.begin + range.length}),
          integers({range.axis})},
         result_of(node));
}

void OnnxNodes::add_constant(const Node& node) {
  const std::vector<std::int64_t> dims = dims_of(node.results[0]);
  for (const std::int64_t dim : dims)
    if (dim < 0) throw no_equivalent(node, "a constant's shape depends on the batch");
  const std::vector<float> values(static_cast<std::size_t>(graph_.value(node.results[0]).shape.elements()),
                                  static_cast<float>(std::get<ConstantAttributes>(node.attributes).value));
  constants_.push_back(onnx_tensor(result_of(node), OnnxType::f32, dims, raw_of(values)));
}

std::string OnnxNodes::constant(OnnxType type, const std::vector<std::int64_t>& dims, std::string_view raw) {
  std::string name = temporary();
  constants_.push_back(onnx_tensor(name, type, dims, raw));
  return name;
}

std::string OnnxNodes::scalar(double value) {
  return constant(OnnxType::f32, {}, raw_of(std::vector{static_cast<float>(value)}));
}

std::string OnnxNodes::integers(const std::vector<std::int64_t>& values) {
  return constant(OnnxType::i64, {static_cast<std::int64_t>(values.size())}, raw_of(values));
}

std::string OnnxNodes::temporary() {
  return fmt::format("t{}", made_++);
}

/// NodeProto: input = 1, output = 2, op_type = 4.
ProtobufMessage& OnnxNodes::append(const char* type, const std::vector<std::string>& inputs,
                                   const std::string& output) {
  ProtobufMessage& node = nodes_.emplace_back();
  for (const std::string& input : inputs) node.bytes(1, input);
  return node.bytes(2, output).bytes(4, type);
}

std::vector<std::string> OnnxNodes::operands_of(const Node& node) const {
  std::vector<std::string> names;
  for (const ValueId operand : node.operands) names.push_back(name_of(graph_, operand));
  return names;
}

std::string OnnxNodes::result_of(const Node& node) const {
  return name_of(graph_, node.results.front());
}

}  // namespace halfling
