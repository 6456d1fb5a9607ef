// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include "step.hpp"

namespace halfling::program {
namespace {

Copy copy_of(const StepContext& context, const Item& item) {
  return {context.address(item.in[0]), context.address(item.out[0]),
          bytes_of(context.program.slot(item.out[0]))};
}

Permutation permutation_of(const StepContext& context, const Item& item) {
  const Slot& from = context.program.slot(item.in[0]);
  const Shape &before = from.logical, &after = context.program.slot(item.out[0]).logical;
  const std::size_t element = size_of(from.dtype);
  Permutation result;
  if (is_permuted(before))
    result.passes.push_back({before[0], before[2] * before[3], before[1], element,
                             context.address(item.in[0]), context.address(item.out[0])});
  if (is_permuted(after))
    result.passes.push_back({after[0], after[1], after[2] * after[3], element, context.address(item.in[0]),
                             context.address(item.out[0])});
  if (result.passes.size() == 2) result.scratch_bytes = static_cast<std::size_t>(before.elements()) * element;
  return result;
}

Rows rows_of(const StepContext& context, const Item& item) {
  const Node& node = context.graph.node(item.node);
  const Program& program = context.program;
  const auto& attributes = std::get<AxisAttributes>(node.attributes);
  const Slot& result = program.slot(item.out[0]);
  const int axis = physical_axis(result.logical, attributes.axis);
  auto inner = static_cast<std::int64_t>(size_of(result.dtype));
  for (int i = result.shape.rank() - 1; i > axis; --i) inner *= result.shape[i];

  Rows rows;
  rows.to = context.address(item.out[0]);
  rows.bytes = result.shape[axis] * inner;
  for (int i = 0; i < axis; ++i) rows.count *= result.shape[i];
  if (node.op == Op::slice) {
    const std::int64_t stride = program.slot(item.in[0]).shape[axis] * inner;
    rows.parts.push_back({context.address(item.in[0]) + attributes.begin * inner, stride, 0, rows.bytes});
    return rows;
  }
  std::int64_t begin = 0;
  for (const Ref ref : item.in) {
    const std::int64_t bytes = program.slot(ref).shape[axis] * inner;
    const std::byte* from = is_zero(program.slot(ref)) ? nullptr : context.address(ref);
    rows.parts.push_back({from, bytes, begin, begin + bytes});
    begin += bytes;
  }
  return rows;
}

OneHot one_hot_of(const StepContext& context, const Item& item) {
  const Shape& shape = context.program.slot(item.out[0]).shape;
  return {context.as<std::int32_t>(item.in[0]), context.as<float>(item.out[0]), shape[0], shape[1]};
}

}  // namespace

Move move_of(const StepContext& context, const Item& item) {
  if (item.kind == ItemKind::copy) return copy_of(context, item);
  const Op op = context.graph.node(item.node).op;
  if (op == Op::one_hot) return one_hot_of(context, item);
  if (op == Op::reshape) return permutation_of(context, item);
  if (op == Op::concat || op == Op::slice) return rows_of(context, item);
  no_way_to_run(op);
}

std::size_t scratch_bytes(const Move& move) {
  const auto* permutation = std::get_if<Permutation>(&move);
  return permutation == nullptr ? 0 : permutation->scratch_bytes;
}

void use_scratch(Move& move, std::byte* scratch) {
  if (auto* permutation = std::get_if<Permutation>(&move)) permutation->use_scratch(scratch);
}

Random random_of(const StepContext& context, const Item& item) {
  const Node& node = context.graph.node(item.node);
  const auto* counter = context.as<std::int32_t>(item.in[0]);
  if (node.op == Op::advance_random) return Advance{counter, context.as<std::int32_t>(item.out[0])};
  if (class_of(node.op) != OpClass::random) no_way_to_run(node.op);
  const auto& a = std::get<RandomAttributes>(node.attributes);
  const bool permuted = is_permuted(a.shape);
  return Draw{.op = node.op,
              .low = a.low,
              .high = a.high,
              .stream = a.stream,
              .counter = counter,
              .to = context.address(item.out[0]),
              .elements = a.shape.elements(),
              .pixels = permuted ? a.shape[2] * a.shape[3] : 0,
              .channels = permuted ? a.shape[1] : 0};
}

Scheduled scheduled_of(const StepContext& context, const Item& item) {
  return {.step = context.as<std::int32_t>(item.in[0]),
          .to = context.as<float>(item.out[0]),
          .attributes = std::get<ScheduleAttributes>(context.graph.node(item.node).attributes)};
}

AdamUpdate adam_of(const StepContext& context, const Item& item) {
  using enum AdamOperand::Index;
  const Slot& slot = context.program.slot(item.in[gradient]);
  const bool keeps_half = item.out.size() > adam_half_copy;
  return {.parameter = context.as<float>(item.in[parameter]),
          .mean = context.as<float>(item.in[mean]),
          .variance = context.as<float>(item.in[variance]),
          .gradient = context.address(item.in[gradient]),
          .gradient_type = slot.dtype,
          .half = keeps_half ? context.address(item.out[adam_half_copy]) : nullptr,
          .half_type = keeps_half ? context.program.slot(item.out[adam_half_copy]).dtype : DType::f32,
          .elements = slot.shape.elements(),
          .step = context.as<std::int32_t>(item.in[step]),
          .inverse_scale = context.as<float>(item.in[inverse_scale]),
          .skip = context.as<std::uint8_t>(item.in[skip]),
          .learning_rate = context.as<float>(item.in[learning_rate]),
          .attributes = std::get<AdamAttributes>(context.graph.node(item.node).attributes)};
}

Softmax softmax_of(const StepContext& context, const Item& item) {
  const Slot& logits = context.program.slot(item.in[0]);
  return {.logits = context.address(item.in[0]),
          .labels = item.in.size() > 1 ? context.as<std::int32_t>(item.in[1]) : nullptr,
          .to = context.address(item.out[0]),
          .dtype = logits.dtype,
          .rows = logits.shape[0],
          .classes = logits.shape[1]};
}

}  // namespace halfling::program
