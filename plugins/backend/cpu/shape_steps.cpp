// SPDX-License-Identifier: Apache-2.0
// Steps that only move: reshapes across the layout, concat, slice, one_hot and copies.
#include <algorithm>
#include <cstring>

#include "program/rows.hpp"
#include "step.hpp"
#include "transpose.hpp"

namespace halfling::cpu {
namespace {

class MoveStep : public Step {
 public:
  std::string implementation() const override { return "move"; }
};

/// A reshape from or to images of several channels: through the logical order.
class PermuteStep final : public MoveStep {
 public:
  PermuteStep(const StepContext& context, const Item& item)
      : team_(context.team),
        before_(context.program.slot(item.in[0]).logical),
        after_(context.program.slot(item.out[0]).logical),
        element_(size_of(context.program.slot(item.in[0]).dtype)),
        from_(context.address(item.in[0])),
        to_(context.address(item.out[0])) {}

  std::size_t scratch_bytes() const override {
    return both() ? static_cast<std::size_t>(before_.elements()) * element_ : 0;
  }
  void use_scratch(std::byte* scratch) override { middle_ = scratch; }

  void run() override {
    const Shape &a = before_, &b = after_;
    std::byte* logical = both() ? middle_ : to_;
    if (is_permuted(a)) permute(from_, logical, a[0], a[2] * a[3], a[1]);
    if (is_permuted(b)) permute(is_permuted(a) ? logical : from_, to_, b[0], b[1], b[2] * b[3]);
  }

 private:
  bool both() const { return is_permuted(before_) && is_permuted(after_); }

  void permute(const std::byte* from, std::byte* to, std::int64_t batch, std::int64_t rows,
               std::int64_t columns) {
    team_.split(batch, rows * columns, [&](Range range) {
      for (std::int64_t n = range.begin; n < range.end; ++n) {
        const std::size_t offset = static_cast<std::size_t>(n * rows * columns) * element_;
        transpose(element_, from + offset, to + offset, rows, columns, rows);
      }
    });
  }

  const Team& team_;
  Shape before_, after_;
  std::size_t element_;
  const std::byte* from_;
  std::byte* to_;
  std::byte* middle_ = nullptr;
};

/// Concat and slice.
class RowsStep final : public MoveStep {
 public:
  RowsStep(const StepContext& context, const Item& item)
      : team_(context.team),
        rows_(rows_of(context.graph, context.program, context.addresses, item)),
        to_(context.address(item.out[0])) {}

  void run() override {
    team_.split(rows_.count, rows_.bytes / 4 + 1, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i)
        for (const RowPart& part : rows_.parts) put(part, i);
    });
  }

 private:
  void put(const RowPart& part, std::int64_t row) const {
    std::byte* to = to_ + row * rows_.bytes + part.begin;
    const auto bytes = static_cast<std::size_t>(part.end - part.begin);
    if (part.from == nullptr)
      std::memset(to, 0, bytes);
    else
      std::memcpy(to, part.from + row * part.stride, bytes);
  }

  const Team& team_;
  Rows rows_;
  std::byte* to_;
};

class OneHotStep final : public MoveStep {
 public:
  OneHotStep(const StepContext& context, const Item& item)
      : rows_(context.program.slot(item.out[0]).shape[0]),
        classes_(context.program.slot(item.out[0]).shape[1]),
        labels_(context.as<std::int32_t>(item.in[0])),
        to_(context.as<float>(item.out[0])) {}

  void run() override {
    std::fill_n(to_, rows_ * classes_, 0.0f);
    for (std::int64_t n = 0; n < rows_; ++n)
      if (labels_[n] >= 0 && labels_[n] < classes_) to_[n * classes_ + labels_[n]] = 1;
  }

 private:
  std::int64_t rows_, classes_;
  const std::int32_t* labels_;
  float* to_;
};

class CopyStep final : public MoveStep {
 public:
  CopyStep(const StepContext& context, const Item& item)
      : team_(context.team),
        from_(context.address(item.in[0])),
        to_(context.address(item.out[0])),
        bytes_(bytes_of(context.program.slot(item.out[0]))) {}

  void run() override {
    team_.split(static_cast<std::int64_t>(bytes_), 1, [&](Range range) {
      std::memcpy(to_ + range.begin, from_ + range.begin, static_cast<std::size_t>(range.end - range.begin));
    });
  }

 private:
  const Team& team_;
  const std::byte* from_;
  std::byte* to_;
  std::size_t bytes_;
};

}  // namespace

StepPointer make_shape_step(const StepContext& context, const Item& item) {
  if (item.kind == ItemKind::copy) return std::make_unique<CopyStep>(context, item);
  switch (context.graph.node(item.node).op) {
    case Op::one_hot:
      return std::make_unique<OneHotStep>(context, item);
    case Op::reshape:
      return std::make_unique<PermuteStep>(context, item);
    default:  // concat, slice
      return std::make_unique<RowsStep>(context, item);
  }
}

}  // namespace halfling::cpu
