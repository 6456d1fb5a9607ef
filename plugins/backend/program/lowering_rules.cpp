// SPDX-License-Identifier: Apache-2.0
// How each kind of node becomes items.
#include <algorithm>
#include <iterator>

#include "lowering.hpp"
#include "refusal.hpp"

namespace halfling::program {
namespace {

std::array<float, 2> tile_parameters(const Node& node) {
  const auto pair = [](double a, double b) {
    return std::array{static_cast<float>(a), static_cast<float>(b)};
  };
  if (const auto* a = std::get_if<AffineAttributes>(&node.attributes)) return pair(a->scale, a->shift);
  if (const auto* a = std::get_if<SlopeAttributes>(&node.attributes)) return pair(a->slope, 0);
  if (const auto* a = std::get_if<TargetAttributes>(&node.attributes)) return pair(a->target, 1 - a->target);
  if (const auto* a = std::get_if<MovingAverageAttributes>(&node.attributes))
    return pair(a->momentum, a->momentum * a->correction);
  return {};
}

/// nullptr where the op is not one instruction.
const TileOpOf* tile_op_of(Op op) {
  const auto* found = std::ranges::find(tile_ops, op, &TileOpOf::op);
  return found == std::end(tile_ops) ? nullptr : found;
}

float epsilon_of(const Node& node) {
  return static_cast<float>(std::get<EpsilonAttributes>(node.attributes).epsilon);
}

}  // namespace

Lowering::Rule Lowering::rule_of(Op op) {
  struct Row {
    Op op;
    Rule rule;
  };
  using enum Op;
  static constexpr Row rows[] = {
      {input, &Lowering::made_already},
      {state, &Lowering::made_already},
      {Op::constant, &Lowering::constant},
      {matmul, &Lowering::whole},
      {conv2d, &Lowering::whole},
      {conv2d_input_gradient, &Lowering::whole},
      {conv2d_weight_gradient, &Lowering::whole},
      {Op::batch_norm, &Lowering::batch_norm},
      {Op::batch_norm_gradient, &Lowering::batch_norm_gradient},
      {Op::batch_norm_inference, &Lowering::batch_norm_inference},
      {Op::sum, &Lowering::sum},
      {any_nonfinite, &Lowering::whole},
      {exponent_histogram, &Lowering::whole},
      {softmax, &Lowering::whole},
      {softmax_cross_entropy, &Lowering::whole},
      {Op::reshape, &Lowering::reshape},
      {concat, &Lowering::whole},
      {slice, &Lowering::whole},
      {Op::cast, &Lowering::cast},
      {Op::detach, &Lowering::detach},
      {one_hot, &Lowering::whole},
      {random_uniform, &Lowering::whole},
      {random_normal, &Lowering::whole},
      {random_integer, &Lowering::whole},
      {advance_random, &Lowering::whole},
      {Op::schedule, &Lowering::whole},
      {Op::adam, &Lowering::adam},
  };
  if (tile_op_of(op) != nullptr) return &Lowering::pointwise;
  const auto* row = std::ranges::find(rows, op, &Row::op);
  return row == std::end(rows) ? nullptr : row->rule;
}

bool has_op(Op op) {
  return Lowering::rule_of(op) != nullptr;
}

void Lowering::node(NodeId id) {
  const Node& node = graph_.node(id);
  current_ = id;
  const Rule rule = rule_of(node.op);
  if (rule == nullptr) no_way_to_run(node.op);
  (this->*rule)(node);
}

void Lowering::constant(const Node& node) {
  Slot& slot = program_.slot(make(node.results[0]));
  slot.is_constant = true;
  slot.constant = std::get<ConstantAttributes>(node.attributes).value;
}

void Lowering::pointwise(const Node& node) {
  std::vector<Ref> in;
  for (const ValueId operand : node.operands) in.push_back(ref(operand));
  const auto [first, second] = tile_parameters(node);
  tile(tile_op_of(node.op)->tile, std::move(in), make(node.results[0]), first, second);
}

void Lowering::cast(const Node& node) {
  const DType from = graph_.value(node.operands[0]).dtype, to = graph_.value(node.results[0]).dtype;
  const bool converts = from == DType::i32 && to != DType::i32;
  tile(converts ? TileOp::from_i32 : TileOp::copy, {ref(node.operands[0])}, make(node.results[0]),
       is_half(to) ? 1 : 0);
}

void Lowering::detach(const Node& node) {
  of_value_[static_cast<std::size_t>(node.results[0])] = ref(node.operands[0]);
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
