// SPDX-License-Identifier: Apache-2.0
#include "random_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "cudnn/device_memory.hpp"

namespace halfling::test {
namespace {

using namespace program;

void encode(DType dtype, float value, std::byte* to) {
  const auto put = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
  if (dtype == DType::f16) return put(f16_bits(value));
  if (dtype == DType::bf16) return put(bf16_bits(value));
  if (dtype == DType::i32) return put(static_cast<std::int32_t>(value));
  dtype == DType::f32 ? put(value) : put(static_cast<std::uint8_t>(value));
}

float rounded(DType dtype, float value) {
  return is_half(dtype) ? static_cast<float>(round_to(dtype, value)) : value;
}

float rectified(float a, float b, float slope) {
  if (slope == 0) return a <= 0 ? 0 : b;
  return a > 0 ? b : slope * b;
}

struct Operation {
  TileOp op;
  int operands;
  float (*evaluate)(float a, float b, float c, const std::array<float, 2>& p);
};
using P = std::array<float, 2>;
constexpr Operation operations[] = {
    {TileOp::copy, 1, [](float a, float, float, const P&) { return a; }},
    {TileOp::add, 2, [](float a, float b, float, const P&) { return a + b; }},
    {TileOp::subtract, 2, [](float a, float b, float, const P&) { return a - b; }},
    {TileOp::multiply, 2, [](float a, float b, float, const P&) { return a * b; }},
    {TileOp::divide, 2, [](float a, float b, float, const P&) { return a / b; }},
    {TileOp::minimum, 2, [](float a, float b, float, const P&) { return std::isnan(a) || a < b ? a : b; }},
    {TileOp::maximum, 2, [](float a, float b, float, const P&) { return std::isnan(a) || a > b ? a : b; }},
    {TileOp::affine, 1, [](float a, float, float, const P& p) { return p[0] * a + p[1]; }},
    {TileOp::leaky_relu, 1, [](float a, float, float, const P& p) { return rectified(a, a, p[0]); }},
    {TileOp::leaky_relu_gradient, 2,
     [](float a, float b, float, const P& p) { return rectified(a, b, p[0]); }},
    {TileOp::sigmoid, 1, [](float a, float, float, const P&) { return 1.f / (1.f + std::exp(-a)); }},
    {TileOp::tanh, 1, [](float a, float, float, const P&) { return std::tanh(a); }},
    {TileOp::exp, 1, [](float a, float, float, const P&) { return std::exp(a); }},
    {TileOp::log, 1, [](float a, float, float, const P&) { return std::log(a); }},
    {TileOp::sqrt, 1, [](float a, float, float, const P&) { return std::sqrt(a); }},
    {TileOp::less, 2, [](float a, float b, float, const P&) { return a < b ? 1.f : 0.f; }},
    {TileOp::select, 3, [](float a, float b, float c, const P&) { return a != 0 ? b : c; }},
    {TileOp::sigmoid_cross_entropy, 1,
     [](float a, float, float, const P& p) {
       const float slope = a > 0 ? p[1] : -p[0];
       return (slope == 0 ? 0 : slope * a) + std::log1p(std::exp(a > 0 ? -a : a));
     }},
    {TileOp::moving_average, 2,
     [](float a, float b, float, const P& p) { return std::isfinite(b) ? (1.f - p[0]) * a + p[1] * b : a; }},
};
constexpr Operation count{TileOp::count, 2,
                          [](float a, float b, float, const P&) { return b != 0 ? a : a + 1; }};
constexpr Operation from_i32{TileOp::from_i32, 1, [](float a, float, float, const P&) { return a; }};

class Generator {
 public:
  Generator(unsigned seed, Seen& seen) : random_(seed), seen_(seen) {
    choose_space();
    for (int i = 2 + pick(5); i > 0; --i) leaf();
    const int per_reduction = pick(3) == 0 ? 2 : 8;
    for (int i = 1 + pick(45); i > 0; --i) pick(per_reduction) == 0 ? reduction() : operation();
    operation();
    if (program_.place(program_.items.back().out[0]) < 0) place(program_.items.back().out[0]);
    share_places();
    for (int i = 0; i < static_cast<int>(program_.items.size()); ++i) cluster_.items.push_back(i);
    if (needs_columns()) cluster_.columns = columns_;
  }

  RandomLoop take() { return std::move(loop_); }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  float real() { return static_cast<float>(pick(4001) - 2000) / 1000; }
  std::vector<float>& values(Ref ref) { return loop_.values[static_cast<std::size_t>(ref)]; }
  std::int64_t elements() const { return cluster_.space.elements(); }

  void choose_space() {
    constexpr int widths[] = {1, 2, 3, 7, 8, 10, 16, 24, 64, 100, 128, 1000, 1024, 1032, 2050, 4096};
    const int width = widths[pick(static_cast<int>(std::size(widths)))];
    const int rows = 2 + pick(std::min(20000 / width + 1, 300));
    const Shape spaces[] = {
        {rows * width}, {rows, width}, {rows, 1 + pick(4), width}, {rows, 1 + pick(4), 1 + pick(3), width}};
    space_ = spaces[pick(4)];
    cluster_.fused = true;
    cluster_.space = squeezed(space_);
    if (cluster_.space.rank() > 1) columns_ = cluster_.space[cluster_.space.rank() - 1];
  }

  // --- slots
  Ref slot(DType dtype, const Shape& shape) {
    Slot slot;
    slot.dtype = dtype;
    slot.logical = slot.shape = shape;
    slot.root = static_cast<Ref>(program_.slots.size());
    program_.slots.push_back(slot);
    loop_.values.emplace_back();
    return slot.root;
  }
  /// Gives it memory that holds `bytes`; NaN where there are none.
  void place(Ref ref, std::vector<std::byte> bytes = {}) {
    bytes.resize(bytes_of(program_.slot(ref)), std::byte{0xFF});
    program_.slot(ref).place = program_.add_place(bytes.size());
    loop_.memory.emplace_back(bytes.size());
    cudnn::upload(bytes.data(), loop_.memory.back().data(), bytes.size());
    loop_.addresses.push_back(loop_.memory.back().data());
  }

  /// One extent for all, the columns only, any axes, or the whole space.
  Shape leaf_shape() {
    Shape shape = space_;
    const int kind = columns_ == 0 ? pick(2) : pick(5);
    int last = space_.rank() - 1;
    while (space_[last] == 1) --last;
    for (int axis = 0; axis < space_.rank(); ++axis)
      if (kind == 1 || (kind == 2 && axis != last) || (kind == 3 && pick(2) == 0)) shape[axis] = 1;
    return shape;
  }

  Ref leaf(bool is_integer = false) {
    constexpr DType formats[] = {DType::f32, DType::f32, DType::f16, DType::bf16, DType::u8};
    const DType dtype = is_integer ? DType::i32 : formats[pick(5)];
    const auto draw = [&] {
      return dtype == DType::u8 ? static_cast<float>(pick(2))
             : is_integer       ? static_cast<float>(pick(2001) - 1000)
                                : real();
    };
    const Ref ref = slot(dtype, leaf_shape());
    if (pick(6) == 0) {
      program_.slot(ref).is_constant = true;
      program_.slot(ref).constant = static_cast<double>(draw());
      values(ref).assign(static_cast<std::size_t>(elements()),
                         rounded(dtype, static_cast<float>(program_.slot(ref).constant)));
    } else {
      std::vector<std::byte> bytes(bytes_of(program_.slot(ref)));
      for (std::size_t i = 0; i < bytes.size(); i += size_of(dtype)) encode(dtype, draw(), bytes.data() + i);
      for (std::int64_t i = 0; i < elements(); ++i)
        values(ref).push_back(
            decode(dtype, bytes.data() + offset_of(i, program_.slot(ref).shape) * size_of(dtype)));
      place(ref, std::move(bytes));
    }
    if (is_integer) return ref;
    pool_.push_back(ref);
    return pick(4) == 0 ? view(ref) : ref;
  }
  /// The same bytes under another name.
  Ref view(Ref of) {
    const Ref ref = slot(program_.slot(of).dtype, program_.slot(of).shape);
    Slot& slot = program_.slot(ref);
    slot.root = of;
    slot.is_constant = program_.slot(of).is_constant;
    slot.constant = program_.slot(of).constant;
    values(ref) = values(of);
    pool_.push_back(ref);
    return ref;
  }
  /// Of element i of the space, in elements of an operand that is broadcast to it.
  std::size_t offset_of(std::int64_t i, const Shape& shape) const {
    std::int64_t offset = 0, stride = 1;
    for (int axis = space_.rank() - 1; axis >= 0; --axis) {
      if (shape[axis] != 1) offset += i % space_[axis] * stride;
      i /= space_[axis];
      stride *= shape[axis];
    }
    return static_cast<std::size_t>(offset);
  }

  /// Often one of the last, so that loops have chains, else anything.
  Ref any() {
    const int size = static_cast<int>(pool_.size());
    if (pick(5) == 0) return leaf();
    return pool_[static_cast<std::size_t>(pick(3) == 0 ? pick(size) : size - 1 - pick(std::min(size, 4)))];
  }
  bool is_full(Ref ref) const {
    return !program_.slot(ref).is_constant && squeezed(program_.slot(ref).shape) == cluster_.space;
  }

  // --- items
  void operation() {
    constexpr int known = static_cast<int>(std::size(operations));
    const int choice = pick(known + 2);
    if (choice >= known) ++seen_.integers;
    if (choice == known) {
      const Ref from = leaf(true);  // drawn first, whatever the compiler
      return add(from_i32, {from}, floating());
    }
    if (choice == known + 1) return add(count, {leaf(true), any()}, DType::i32);
    std::vector<Ref> in;
    for (int i = 0; i < operations[choice].operands; ++i) in.push_back(any());
    add(operations[choice], in, operations[choice].op == TileOp::less ? DType::boolean : floating());
  }
  DType floating() {
    constexpr DType formats[] = {DType::f32, DType::f32, DType::f16, DType::bf16};
    return formats[pick(4)];
  }

  void add(const Operation& operation, const std::vector<Ref>& in, DType dtype) {
    Item item;
    item.kind = ItemKind::tile;
    item.op = operation.op;
    const bool is_relu = pick(8) == 0;
    item.parameters = {is_relu ? 0 : real(), real()};
    item.in = in;
    const Ref out = slot(dtype, space_);
    item.out = {out};
    const auto operand = [&](std::size_t k, std::size_t i) { return k < in.size() ? values(in[k])[i] : 0.f; };
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements()); ++i)
      values(out).push_back(
          rounded(dtype, operation.evaluate(operand(0, i), operand(1, i), operand(2, i), item.parameters)));
    const bool is_integer = dtype == DType::i32;
    if (is_integer || pick(3) == 0) place(out);
    if (!is_integer) pool_.push_back(out);
    program_.items.push_back(std::move(item));
  }

  void reduction() {
    const Ref from = any();
    if (!is_full(from)) return;
    Item item;
    const int kind = columns_ == 0 ? 0 : pick(3);
    item.kind = kind == 0 ? ItemKind::total_sum : kind == 1 ? ItemKind::column_sum : ItemKind::column_moments;
    item.in = {from};
    for (int i = kind == 2 ? 2 : 1; i > 0; --i) {
      item.out.push_back(slot(DType::f32, kind == 0 ? Shape{1} : Shape{columns_}));
      place(item.out.back());
    }
    ++seen_.reductions;
    program_.items.push_back(std::move(item));
  }

  /// Puts results where operands lie that are read element by element, as placement does.
  void share_places() {
    for (Item& item : program_.items) {
      const Ref out = item.out[0];
      if (item.kind != ItemKind::tile || program_.place(out) < 0 || pick(2) == 0) continue;
      for (Ref ref = 0; ref < static_cast<Ref>(program_.slots.size()); ++ref) {
        if (!is_full(ref) || program_.place(ref) < 0 || is_result(program_.place(ref))) continue;
        if (bytes_of(program_.slot(ref)) != bytes_of(program_.slot(out))) continue;
        program_.slot(out).place = program_.place(ref);
        ++seen_.in_place;
        break;
      }
    }
  }
  bool is_result(int place) const {
    for (const Item& item : program_.items)
      for (const Ref out : item.out)
        if (program_.place(out) == place) return true;
    return false;
  }

  bool needs_columns() {
    bool needed = false;
    for (const Item& item : program_.items) {
      needed |= item.kind == ItemKind::column_sum || item.kind == ItemKind::column_moments;
      if (item.kind != ItemKind::tile) continue;
      for (const Ref ref : item.in) {
        const Access access = access_of(program_, item, ref);
        needed |= access == Access::column || access == Access::general;
        if (access == Access::general) ++seen_.views;
      }
    }
    return needed;
  }

  std::mt19937 random_;
  Seen& seen_;
  Shape space_;
  std::int64_t columns_ = 0;  ///< 0: the space has one axis
  RandomLoop loop_;
  Program& program_ = loop_.program;
  Cluster& cluster_ = loop_.cluster;
  std::vector<Ref> pool_;  ///< what operations may read as numbers
};

}  // namespace

float decode(DType dtype, const std::byte* from) {
  const auto bits = [from]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (dtype == DType::f16) return f16_value(bits(std::uint16_t{}));
  if (dtype == DType::bf16) return bf16_value(bits(std::uint16_t{}));
  if (dtype == DType::i32) return static_cast<float>(bits(std::int32_t{}));
  return dtype == DType::f32 ? bits(0.f) : static_cast<float>(bits(std::uint8_t{}));
}

RandomLoop random_loop(unsigned seed, Seen& seen) {
  return Generator(seed, seen).take();
}

}  // namespace halfling::test
