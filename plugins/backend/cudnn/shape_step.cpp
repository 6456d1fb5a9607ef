// SPDX-License-Identifier: Apache-2.0
// Steps that only move: reshapes across the layout, concat, slice, one_hot and copies.
#include "device_memory.hpp"
#include "shape_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

void copy_bytes(cudaStream_t stream, const std::byte* from, std::byte* to, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}

class MoveStep : public Step {
 public:
  std::string implementation() const override { return "move"; }
};

/// A reshape from or to images of several channels: through the logical order.
class PermuteStep final : public MoveStep {
 public:
  PermuteStep(const StepContext& context, const Item& item)
      : before_(context.program.slot(item.in[0]).logical),
        after_(context.program.slot(item.out[0]).logical),
        element_(size_of(context.program.slot(item.in[0]).dtype)),
        from_(context.address(item.in[0])),
        to_(context.address(item.out[0])) {}

  std::size_t scratch_bytes() const override {
    return both() ? static_cast<std::size_t>(before_.elements()) * element_ : 0;
  }
  void use_scratch(std::byte* scratch) override { middle_ = scratch; }

  void run(cudaStream_t stream) override {
    const Shape &a = before_, &b = after_;
    std::byte* logical = both() ? middle_ : to_;
    if (is_permuted(a)) launch_transpose(stream, {a[0], a[2] * a[3], a[1], element_}, from_, logical);
    if (is_permuted(b))
      launch_transpose(stream, {b[0], b[1], b[2] * b[3], element_}, is_permuted(a) ? logical : from_, to_);
  }

 private:
  bool both() const { return is_permuted(before_) && is_permuted(after_); }

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
      : rows_(rows_of(context.graph, context.program, context.addresses, item)),
        parts_(rows_.parts.size() * sizeof(RowPart)),
        to_(context.address(item.out[0])) {
    upload(rows_.parts.data(), parts_.data(), parts_.size());
  }
  std::size_t device_bytes() const override { return parts_.size(); }
  void run(cudaStream_t stream) override {
    launch_rows(stream, rows_, reinterpret_cast<const RowPart*>(parts_.data()), to_);
  }

 private:
  Rows rows_;
  DeviceBuffer parts_;
  std::byte* to_;
};

class OneHotStep final : public MoveStep {
 public:
  OneHotStep(const StepContext& context, const Item& item)
      : rows_(context.program.slot(item.out[0]).shape[0]),
        classes_(context.program.slot(item.out[0]).shape[1]),
        labels_(context.as<std::int32_t>(item.in[0])),
        to_(context.as<float>(item.out[0])) {}
  void run(cudaStream_t stream) override { launch_one_hot(stream, labels_, to_, rows_, classes_); }

 private:
  std::int64_t rows_, classes_;
  const std::int32_t* labels_;
  float* to_;
};

class CopyStep final : public MoveStep {
 public:
  CopyStep(const StepContext& context, const Item& item)
      : from_(context.address(item.in[0])),
        to_(context.address(item.out[0])),
        bytes_(bytes_of(context.program.slot(item.out[0]))) {}
  void run(cudaStream_t stream) override { copy_bytes(stream, from_, to_, bytes_); }

 private:
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

}  // namespace halfling::cudnn
