// SPDX-License-Identifier: Apache-2.0
// Softmax and its cross entropy over rows of a few classes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "step.hpp"

namespace halfling::cpu {
namespace {

class SoftmaxStep final : public Step {
 public:
  SoftmaxStep(const StepContext& context, const Item& item)
      : softmax_(softmax_of(context, item)), row_(static_cast<std::size_t>(softmax_.classes)) {}
  std::string implementation() const override { return "loops"; }

  void run() override {
    for (std::int64_t n = 0; n < softmax_.rows; ++n) {
      kernels().load(softmax_.dtype, softmax_.logits + offset(n * softmax_.classes), row_.data(),
                     softmax_.classes);
      softmax_.labels != nullptr ? put_loss(n) : put_softmax(n);
    }
  }

 private:
  /// Logits as their distances from the largest one, so that no exponential overflows. A lone infinity is at
  /// no distance from itself; of several that are the largest the distance has no limit: NaN.
  struct Distances {
    double largest, total = 0;  ///< total: sum of exp(distance); of infinities how many are the largest
    explicit Distances(const std::vector<float>& row) : largest(*std::ranges::max_element(row)) {
      for (const float x : row) total += x == largest ? 1 : std::exp(x - largest);
    }
    double of(float x) const {
      if (x != largest) return x - largest;
      return std::isinf(largest) && total != 1 ? std::numeric_limits<double>::quiet_NaN() : 0;
    }
  };

  void put_softmax(std::int64_t n) {
    const Distances distances(row_);
    for (float& x : row_) x = static_cast<float>(std::exp(distances.of(x)) / distances.total);
    kernels().store(softmax_.dtype, row_.data(), softmax_.to + offset(n * softmax_.classes),
                    softmax_.classes);
  }

  void put_loss(std::int64_t n) {
    const Distances distances(row_);
    const std::int32_t label = softmax_.labels[n];
    const bool valid = label >= 0 && label < softmax_.classes;
    const auto loss = valid ? static_cast<float>(std::log(distances.total) -
                                                 distances.of(row_[static_cast<std::size_t>(label)]))
                            : std::numeric_limits<float>::quiet_NaN();
    kernels().store(softmax_.dtype, &loss, softmax_.to + offset(n), 1);
  }

  std::size_t offset(std::int64_t element) const {
    return static_cast<std::size_t>(element) * size_of(softmax_.dtype);
  }

  Softmax softmax_;
  std::vector<float> row_;
};

}  // namespace

StepPointer make_loss_step(const StepContext& context, const Item& item) {
  return std::make_unique<SoftmaxStep>(context, item);
}

}  // namespace halfling::cpu
