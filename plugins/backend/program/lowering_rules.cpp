// SPDX-License-Identifier: Apache-2.0
// How each kind of node becomes items.
#include "lowering.hpp"

namespace halfling::program {
namespace {

TileOp tile_op(Op op) {
  switch (op) {
    case Op::add:
      return TileOp::add;
    case Op::subtract:
      return TileOp::subtract;
    case Op::multiply:
      return TileOp::multiply;
    case Op::divide:
      return TileOp::divide;
    case Op::minimum:
      return TileOp::minimum;
    case Op::maximum:
    case Op::logical_or:
      return TileOp::maximum;
    case Op::affine:
      return TileOp::affine;
    case Op::leaky_relu:
      return TileOp::leaky_relu;
    case Op::leaky_relu_gradient:
      return TileOp::leaky_relu_gradient;
    case Op::sigmoid:
      return TileOp::sigmoid;
    case Op::tanh:
      return TileOp::tanh;
    case Op::exp:
      return TileOp::exp;
    case Op::log:
      return TileOp::log;
    case Op::sqrt:
      return TileOp::sqrt;
    case Op::less:
      return TileOp::less;
    case Op::select:
      return TileOp::select;
    case Op::sigmoid_cross_entropy:
      return TileOp::sigmoid_cross_entropy;
    case Op::moving_average:
      return TileOp::moving_average;
    case Op::count:
      return TileOp::count;
    default:  // broadcast
      return TileOp::copy;
  }
}

std::array<float, 2> tile_parameters(const Node& node) {
  const auto pair = [](double a, double b) {
    return std::array{static_cast<float>(a), static_cast<float>(b)};
  };
  if (const auto* a = std::get_if<AffineAttributes>(&node.attributes)) return pair(a->scale, a->shift);
  if (const auto* a = std::get_if<SlopeAttributes>(&node.attributes)) return pair(a->slope, 0);
  if (const auto* a = std::get_if<TargetAttributes>(&node.attributes)) return pair(a->target, 0);
  if (const auto* a = std::get_if<MovingAverageAttributes>(&node.attributes))
    return pair(a->momentum, a->momentum * a->correction);
  return {};
}

float epsilon_of(const Node& node) {
  return static_cast<float>(std::get<EpsilonAttributes>(node.attributes).epsilon);
}

}  // namespace

void Lowering::pointwise(const Node& node) {
  std::vector<Ref> in;
  for (const ValueId operand : node.operands) in.push_back(ref(operand));
  const auto [first, second] = tile_parameters(node);
  tile(tile_op(node.op), std::move(in), make(node.results[0]), first, second);
}

void Lowering::cast(const Node& node) {
  const DType from = graph_.value(node.operands[0]).dtype, to = graph_.value(node.results[0]).dtype;
  const bool converts = from == DType::i32 && to != DType::i32;
  tile(converts ? TileOp::from_i32 : TileOp::copy, {ref(node.operands[0])}, make(node.results[0]));
}

void Lowering::reshape(const Node& node) {
  const Ref from = ref(node.operands[0]);
  const Shape before = program_.slot(from).logical, after = graph_.value(node.results[0]).shape;
  const bool moves = before != after && (is_permuted(before) || is_permuted(after));
  if (moves && !program_.slot(from).is_constant) return whole(node);
  of_value_[static_cast<std::size_t>(node.results[0])] = view(from, after);
}

/// Column sums and total sums join the elementwise loop that makes their operand; the rest is a node.
void Lowering::sum(const Node& node) {
  const Shape& logical = graph_.value(node.operands[0]).shape;
  const unsigned mask = std::get<AxesAttributes>(node.attributes).mask;
  std::int64_t summed = 1, last = 1;
  bool last_is_kept = false;
  const Shape shape = physical(logical);
  std::vector<bool> reduced(static_cast<std::size_t>(shape.rank()), false);
  for (int axis = 0; axis < logical.rank(); ++axis)
    reduced[static_cast<std::size_t>(physical_axis(logical, axis))] = (mask >> axis & 1u) != 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    if (reduced[static_cast<std::size_t>(axis)]) summed *= shape[axis];
    last = shape[axis];
    last_is_kept = !reduced[static_cast<std::size_t>(axis)];
  }
  const Ref x = ref(node.operands[0]);
  if (summed == 1) {
    tile(TileOp::copy, {x}, make(node.results[0]));
  } else if (summed == logical.elements()) {
    needs_bytes(x);
    add(ItemKind::total_sum, {x}, {make(node.results[0])});
  } else if (last_is_kept && summed * last == logical.elements()) {
    needs_bytes(x);
    add(ItemKind::column_sum, {x}, {make(node.results[0])});
  } else {
    whole(node);
  }
}

/// y = (x - mean) (gamma / sqrt(variance + epsilon)) + beta
void Lowering::batch_norm(const Node& node) {
  const Ref x = ref(node.operands[0]);
  needs_bytes(x);
  const Ref mean = make(node.results[1]), variance = make(node.results[2]);
  add(ItemKind::column_moments, {x}, {mean, variance});
  normalise(node, x, ref(node.operands[1]), ref(node.operands[2]), mean, variance);
}

void Lowering::batch_norm_inference(const Node& node) {
  normalise(node, ref(node.operands[0]), ref(node.operands[1]), ref(node.operands[2]), ref(node.operands[3]),
            ref(node.operands[4]));
}

void Lowering::normalise(const Node& node, Ref x, Ref gamma, Ref beta, Ref mean, Ref variance) {
  const Shape shape = program_.slot(x).logical, vector = program_.slot(mean).logical;
  const int rank = shape.rank();
  const Ref deviation =
      math(TileOp::sqrt, {math(TileOp::affine, {variance}, vector, 1, epsilon_of(node))}, vector);
  const Ref gain = math(TileOp::divide, {gamma, deviation}, vector);
  const Ref centred = math(TileOp::subtract, {x, channels(mean, rank)}, shape);
  const Ref scaled = math(TileOp::multiply, {centred, channels(gain, rank)}, shape);
  tile(TileOp::add, {scaled, channels(beta, rank)}, make(node.results[0]));
}

/// With s = sqrt(variance + epsilon), m values a channel (Ioffe and Szegedy 2015, section 3, solved for dx):
///   dbeta = sum dy, dgamma = sum dy (x - mean) / s
///   dx = gamma / s (dy - dbeta / m - (x - mean) dgamma / (s m))
void Lowering::batch_norm_gradient(const Node& node) {
  const Ref x = ref(node.operands[0]), gamma = ref(node.operands[1]), mean = ref(node.operands[2]);
  const Ref variance = ref(node.operands[3]), dy = ref(node.operands[4]);
  const Shape shape = program_.slot(x).logical, vector = program_.slot(mean).logical;
  const int rank = shape.rank();
  const auto share = static_cast<float>(vector.elements()) / static_cast<float>(shape.elements());
  needs_bytes(dy);

  const Ref dgamma = make(node.results[1]), dbeta = make(node.results[2]);
  add(ItemKind::column_sum, {dy}, {dbeta});
  const Ref centred = math(TileOp::subtract, {x, channels(mean, rank)}, shape);
  const Ref product = math(TileOp::multiply, {centred, dy}, shape);
  const Ref moment = make(DType::f32, vector);
  add(ItemKind::column_sum, {product}, {moment});

  const Ref deviation =
      math(TileOp::sqrt, {math(TileOp::affine, {variance}, vector, 1, epsilon_of(node))}, vector);
  tile(TileOp::divide, {moment, deviation}, dgamma);
  const Ref gain = math(TileOp::divide, {gamma, deviation}, vector);
  const Ref offset = math(TileOp::affine, {dbeta}, vector, share);
  const Ref slope = math(TileOp::affine, {math(TileOp::divide, {dgamma, deviation}, vector)}, vector, share);

  // x - mean a second time: cheaper than keeping it.
  const Ref across = math(TileOp::subtract, {dy, channels(offset, rank)}, shape);
  const Ref again = math(TileOp::subtract, {x, channels(mean, rank)}, shape);
  const Ref along = math(TileOp::multiply, {again, channels(slope, rank)}, shape);
  const Ref rest = math(TileOp::subtract, {across, along}, shape);
  tile(TileOp::multiply, {rest, channels(gain, rank)}, make(node.results[0]));
}

void Lowering::whole(const Node& node) {
  std::vector<Ref> in, out;
  for (const ValueId operand : node.operands) {
    const bool is_padding = node.op == Op::concat && is_zero(program_.slot(ref(operand)));
    if (!is_padding) needs_bytes(ref(operand));
    in.push_back(ref(operand));
  }
  for (const ValueId result : node.results) out.push_back(make(result));
  add(ItemKind::node, std::move(in), std::move(out));
}

bool Lowering::may_update(ValueId old_value, ValueId new_value) const {
  const auto old_index = static_cast<std::size_t>(old_value), new_index = static_cast<std::size_t>(new_value);
  const Place* place = program_.fixed_place(ref(old_value));
  return place != nullptr && place->is_state && chain_[new_index] != 0 &&
         chain_[new_index] == chain_[old_index] && last_reader_[old_index] <= current_;
}

/// The first `count` operands are overwritten by the results: in their state where nothing reads the old
/// version later, else in a copy.
void Lowering::update_in_place(const Node& node, std::size_t count) {
  std::vector<Ref> in, out;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    Ref operand = ref(node.operands[i]);
    needs_bytes(operand);
    if (i < count && !may_update(node.operands[i], node.results[i])) {
      operand = copied(operand);
      program_.slot(operand).place = program_.add_place(bytes_of(program_.slot(operand)));
    }
    in.push_back(operand);
  }
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(make(node.results[i]));
    program_.slot(out.back()).place = program_.place(in[i]);
  }
  add(ItemKind::node, std::move(in), std::move(out)).updates = true;
}

}  // namespace halfling::program
