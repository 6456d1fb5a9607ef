// SPDX-License-Identifier: Apache-2.0
// Steps that only move: reshapes across the layout, concat, slice, one_hot and copies.
#include <algorithm>
#include <cstring>

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

/// A list of strided block copies: concat and slice.
class BlocksStep final : public MoveStep {
 public:
  BlocksStep(const StepContext& context, const Item& item) : team_(context.team) {
    const Node& node = context.graph.node(item.node);
    const auto& attributes = std::get<AxisAttributes>(node.attributes);
    const Slot& result = context.program.slot(item.out[0]);
    const int axis = physical_axis(result.logical, attributes.axis);
    std::size_t inner = size_of(result.dtype);
    for (int i = result.shape.rank() - 1; i > axis; --i) inner *= static_cast<std::size_t>(result.shape[i]);
    for (int i = 0; i < axis; ++i) outer_ *= result.shape[i];
    const auto extent = [&](Ref ref) {
      return static_cast<std::size_t>(context.program.slot(ref).shape[axis]) * inner;
    };
    const std::size_t out = extent(item.out[0]);
    std::byte* to = context.address(item.out[0]);
    if (node.op == Op::slice) {
      const std::byte* from =
          context.address(item.in[0]) + static_cast<std::size_t>(attributes.begin) * inner;
      parts_.push_back({from, to, extent(item.in[0]), out, out});
      return;
    }
    for (const Ref ref : item.in) {
      parts_.push_back({context.address(ref), to, extent(ref), out, extent(ref)});
      to += extent(ref);
    }
  }

  void run() override {
    for (const Part& part : parts_)
      team_.split(outer_, static_cast<std::int64_t>(part.bytes / 4 + 1), [&](Range range) {
        for (std::int64_t i = range.begin; i < range.end; ++i)
          std::memcpy(part.to + static_cast<std::size_t>(i) * part.to_stride,
                      part.from + static_cast<std::size_t>(i) * part.from_stride, part.bytes);
      });
  }

 private:
  struct Part {
    const std::byte* from;
    std::byte* to;
    std::size_t from_stride, to_stride, bytes;
  };
  const Team& team_;
  std::int64_t outer_ = 1;
  std::vector<Part> parts_;
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
    default:
      return std::make_unique<BlocksStep>(context, item);
  }
}

}  // namespace halfling::cpu
