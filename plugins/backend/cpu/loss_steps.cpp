// SPDX-License-Identifier: Apache-2.0
// Softmax and its cross entropy over rows of a few classes.
#include <algorithm>
#include <cmath>

#include "step.hpp"

namespace halfling::cpu {
namespace {

class SoftmaxStep final : public Step {
 public:
  SoftmaxStep(const StepContext& context, const Item& item)
      : cross_entropy_(context.graph.node(item.node).op == Op::softmax_cross_entropy),
        dtype_(context.program.slot(item.in[0]).dtype),
        rows_(context.program.slot(item.in[0]).shape[0]),
        classes_(context.program.slot(item.in[0]).shape[1]),
        from_(context.address(item.in[0])),
        labels_(cross_entropy_ ? context.as<std::int32_t>(item.in[1]) : nullptr),
        to_(context.address(item.out[0])),
        row_(static_cast<std::size_t>(classes_)) {}
  std::string implementation() const override { return "loops"; }

  void run() override {
    const std::size_t bytes = static_cast<std::size_t>(classes_) * size_of(dtype_);
    for (std::int64_t n = 0; n < rows_; ++n) {
      kernels().load(dtype_, from_ + static_cast<std::size_t>(n) * bytes, row_.data(), classes_);
      cross_entropy_ ? put_loss(n) : put_softmax(n);
    }
  }

 private:
  double largest() const { return *std::ranges::max_element(row_); }

  void put_softmax(std::int64_t n) {
    const double top = largest();
    double total = 0;
    for (const float x : row_) total += std::exp(x - top);
    for (float& x : row_) x = static_cast<float>(std::exp(x - top) / total);
    kernels().store(dtype_, row_.data(), to_ + static_cast<std::size_t>(n * classes_) * size_of(dtype_),
                    classes_);
  }

  void put_loss(std::int64_t n) {
    const double top = largest();
    double total = 0;
    for (const float x : row_) total += std::exp(x - top);
    const std::int32_t label = labels_[n];
    const bool valid = label >= 0 && label < classes_;
    const auto loss = valid
                          ? static_cast<float>(std::log(total) + top - row_[static_cast<std::size_t>(label)])
                          : std::numeric_limits<float>::quiet_NaN();
    kernels().store(dtype_, &loss, to_ + static_cast<std::size_t>(n) * size_of(dtype_), 1);
  }

  bool cross_entropy_;
  DType dtype_;
  std::int64_t rows_, classes_;
  const std::byte* from_;
  const std::int32_t* labels_;
  std::byte* to_;
  std::vector<float> row_;
};

}  // namespace

StepPointer make_loss_step(const StepContext& context, const Item& item) {
  return std::make_unique<SoftmaxStep>(context, item);
}

}  // namespace halfling::cpu
