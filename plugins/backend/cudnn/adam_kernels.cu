// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adam_kernels.hpp"
#include "formats.hpp"
#include "parts.hpp"

namespace halfling::cudnn {
namespace {

/// What is the same for every element.
struct Rates {
  float scale, rate, correction;
};

struct AdamKernel {
  AdamGroup group;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const AdamTensor tensor = owner_of(group.tensors, group.count, block.index);
    const bool skips = *group.skip != 0;
    if (skips && tensor.half == nullptr) return;
    auto* rates = block.shared<Rates>();
    block.each([&](int thread) {
      if (thread == 0) *rates = rates_now();
    });
    const Part part = part_of(tensor, block.index);
    block.each([&](int thread) {
      if (skips) {
        for_part(
            part, thread, block.threads, [&](std::int64_t i) { copy_four(tensor, i); },
            [&](std::int64_t i) { store(tensor.half_type, tensor.parameter[i], tensor.half, i); });
      } else {
        const Rates now = *rates;
        for_part(
            part, thread, block.threads, [&](std::int64_t i) { update_four(tensor, now, i); },
            [&](std::int64_t i) { update_one(tensor, now, i); });
      }
    });
  }

  /// In double: 1 - beta^t loses digits while it is small.
  HALFLING_DEVICE Rates rates_now() const {
    const double t = *group.step;
    return {*group.inverse_scale, static_cast<float>(*group.learning_rate / (1 - std::pow(group.beta1, t))),
            static_cast<float>(1 / std::sqrt(1 - std::pow(group.beta2, t)))};
  }

  HALFLING_DEVICE void update(const Rates& now, float gradient, float& p, float& m, float& v) const {
    const auto beta1 = static_cast<float>(group.beta1), rest1 = static_cast<float>(1 - group.beta1);
    const auto beta2 = static_cast<float>(group.beta2), rest2 = static_cast<float>(1 - group.beta2);
    const auto epsilon = static_cast<float>(group.epsilon);
    const float g = now.scale * gradient;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
    p -= now.rate * m / (std::sqrt(v) * now.correction + epsilon);
  }

  HALFLING_DEVICE void update_one(const AdamTensor& tensor, const Rates& now, std::int64_t i) const {
    update(now, load(tensor.gradient_type, tensor.gradient, i), tensor.parameter[i], tensor.mean[i],
           tensor.variance[i]);
    if (tensor.half != nullptr) store(tensor.half_type, tensor.parameter[i], tensor.half, i);
  }

  HALFLING_DEVICE void update_four(const AdamTensor& tensor, const Rates& now, std::int64_t i) const {
    const Four<float> gradient = load_four(tensor.gradient_type, tensor.gradient, i);
    Four<float> p = load_four<float>(tensor.parameter, i);
    Four<float> m = load_four<float>(tensor.mean, i);
    Four<float> v = load_four<float>(tensor.variance, i);
    for (int j = 0; j < 4; ++j) update(now, gradient.at[j], p.at[j], m.at[j], v.at[j]);
    store_four<float>(p, tensor.parameter, i);
    store_four<float>(m, tensor.mean, i);
    store_four<float>(v, tensor.variance, i);
    if (tensor.half != nullptr) store_four(tensor.half_type, p, tensor.half, i);
  }

  HALFLING_DEVICE static void copy_four(const AdamTensor& tensor, std::int64_t i) {
    store_four(tensor.half_type, load_four<float>(tensor.parameter, i), tensor.half, i);
  }
};

}  // namespace

void launch_adam(cudaStream_t stream, const AdamGroup& group, std::int64_t blocks) {
  launch_blocks(stream, blocks, 256, sizeof(Rates), AdamKernel{group});
}

}  // namespace halfling::cudnn
