// SPDX-License-Identifier: Apache-2.0
// Reductions that no tile loop does: sums over any axes, the search for numbers that are not finite, and
// histograms of exponents.
#include "part_list.hpp"
#include "reduction_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class SumStep final : public Step {
 public:
  SumStep(const StepContext& context, const Item& item) {
    const Slot& from = context.program.slot(item.in[0]);
    const Shape &x = from.shape, &y = context.program.slot(item.out[0]).shape;
    std::int64_t strides[Shape::max_rank] = {};
    std::int64_t stride = 1;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      stride *= x[axis];
    }
    arguments_ = {.from = context.address(item.in[0]),
                  .to = context.address(item.out[0]),
                  .dtype = from.dtype,
                  .kept = {},
                  .summed = {},
                  .results = y.elements(),
                  .terms = x.elements() / y.elements()};
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (x[axis] == 1) continue;
      AxisList& list = y[axis] == x[axis] ? arguments_.kept : arguments_.summed;
      list.extents[list.count] = x[axis];
      list.strides[list.count++] = strides[axis];
    }
  }
  std::string implementation() const override { return "sum"; }
  void run(cudaStream_t stream) override { launch_sum(stream, arguments_); }

 private:
  SumArguments arguments_{};
};

class SearchStep final : public Step {
 public:
  SearchStep(const StepContext& context, const Item& item)
      : parts_(tensors_of(context, item)), found_(context.as<std::uint8_t>(item.out[0])) {}
  std::string implementation() const override { return "search"; }
  std::size_t device_bytes() const override { return parts_.device_bytes(); }

  void run(cudaStream_t stream) override {
    check(cudaMemsetAsync(found_, 0, 1, stream), "cudaMemsetAsync");
    launch_search(stream, parts_.tensors(), parts_.count(), parts_.blocks(), found_);
  }

 private:
  static std::vector<SearchedTensor> tensors_of(const StepContext& context, const Item& item) {
    std::vector<SearchedTensor> tensors;
    for (const Ref ref : item.in) {
      const Slot& slot = context.program.slot(ref);
      tensors.push_back(
          {.from = context.address(ref), .dtype = slot.dtype, .elements = slot.shape.elements()});
    }
    return tensors;
  }

  PartList<SearchedTensor> parts_;
  std::uint8_t* found_;
};

class HistogramStep final : public Step {
 public:
  HistogramStep(const StepContext& context, const Item& item)
      : dtype_(context.program.slot(item.in[0]).dtype),
        elements_(context.program.slot(item.in[0]).shape.elements()),
        from_(context.address(item.in[0])),
        counts_(context.as<std::int32_t>(item.out[0])) {}
  std::string implementation() const override { return "histogram"; }

  void run(cudaStream_t stream) override {
    check(cudaMemsetAsync(counts_, 0, histogram_counts * sizeof(std::int32_t), stream), "cudaMemsetAsync");
    launch_histogram(stream, dtype_, from_, elements_, counts_);
  }

 private:
  DType dtype_;
  std::int64_t elements_;
  const std::byte* from_;
  std::int32_t* counts_;
};

}  // namespace

StepPointer make_reduction_step(const StepContext& context, const Item& item) {
  const Op op = context.graph.node(item.node).op;
  if (op == Op::exponent_histogram) return std::make_unique<HistogramStep>(context, item);
  if (op == Op::any_nonfinite) return std::make_unique<SearchStep>(context, item);
  if (op == Op::sum) return std::make_unique<SumStep>(context, item);
  no_way_to_run(op);
}

}  // namespace halfling::cudnn
