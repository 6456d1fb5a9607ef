// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>

#include "loops.hpp"
#include "program/work.hpp"

namespace loops {
namespace {

void run(const Copy& copy) {
  std::memcpy(copy.to, copy.from, copy.bytes);
}

void run(const Permutation& permutation) {
  for (const Transposition& t : permutation.passes)
    for (std::int64_t n = 0; n < t.batch; ++n)
      for (std::int64_t r = 0; r < t.rows; ++r)
        for (std::int64_t c = 0; c < t.columns; ++c) {
          const std::int64_t matrix = n * t.rows * t.columns, element = static_cast<std::int64_t>(t.element);
          std::memcpy(t.to + (matrix + c * t.rows + r) * element,
                      t.from + (matrix + r * t.columns + c) * element, t.element);
        }
}

void run(const Rows& rows) {
  for (std::int64_t row = 0; row < rows.count; ++row)
    for (const RowPart& part : rows.parts) {
      std::byte* to = rows.to + row * rows.bytes + part.begin;
      const auto bytes = static_cast<std::size_t>(part.end - part.begin);
      if (part.from == nullptr)
        std::memset(to, 0, bytes);
      else
        std::memcpy(to, part.from + row * part.stride, bytes);
    }
}

void run(const OneHot& hot) {
  for (std::int64_t i = 0; i < hot.rows * hot.classes; ++i) {
    const std::int32_t label = hot.labels[i / hot.classes];
    const bool valid = label >= 0 && label < hot.classes;
    hot.to[i] = !valid ? std::numeric_limits<float>::quiet_NaN() : label == i % hot.classes ? 1.f : 0.f;
  }
}

/// [m, k] times [k, n], either transposed. Where lowering has made a sum of it, the result is added to what
/// is there.
Step matmul(const StepContext& context, const Item& item) {
  const auto [ta, tb] = std::get<MatmulAttributes>(context.graph.node(item.node).attributes);
  const Shape &a = context.program.slot(item.in[0]).shape, &c = context.program.slot(item.out[0]).shape;
  const std::int64_t rows = c[0], columns = c[1], inner = ta ? a[0] : a[1];
  const std::int64_t a_row = ta ? 1 : inner, a_step = ta ? rows : 1, b_step = tb ? 1 : columns,
                     b_column = tb ? inner : 1;
  const auto* x = context.as<float>(item.in[0]);
  const auto* y = context.as<float>(item.in[1]);
  auto* to = context.as<float>(item.out[0]);
  return [=, adds = item.updates] {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        double sum = adds ? to[i * columns + j] : 0;
        for (std::int64_t k = 0; k < inner; ++k)
          sum += static_cast<double>(x[i * a_row + k * a_step]) *
                 static_cast<double>(y[k * b_step + j * b_column]);
        to[i * columns + j] = static_cast<float>(sum);
      }
  };
}

/// Of the sums that no fused loop does. Axes of the result have the operand's extent, or 1.
Step sum(const StepContext& context, const Item& item) {
  const Shape x = context.program.slot(item.in[0]).shape, y = context.program.slot(item.out[0]).shape;
  const auto* from = context.as<float>(item.in[0]);
  auto* to = context.as<float>(item.out[0]);
  return [=] {
    std::vector<double> sums(static_cast<std::size_t>(y.elements()));
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      std::int64_t rest = i, stride = 1, at = 0;
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        if (y[axis] != 1) at += rest % x[axis] * stride;
        rest /= x[axis];
        stride *= y[axis];
      }
      sums[static_cast<std::size_t>(at)] += from[i];
    }
    std::copy(sums.begin(), sums.end(), to);
  };
}

}  // namespace

Step item_step(const StepContext& context, const Item& item) {
  if (item.kind == ItemKind::node) {
    const Op op = context.graph.node(item.node).op;
    if (op == Op::matmul) return matmul(context, item);
    if (op == Op::sum) return sum(context, item);
  }
  Move move = move_of(context, item);
  const auto scratch = std::make_shared<std::vector<std::byte>>(scratch_bytes(move));
  use_scratch(move, scratch->data());
  return [move, scratch] { std::visit([](const auto& one) { run(one); }, move); };
}

}  // namespace loops
