// SPDX-License-Identifier: Apache-2.0
// Reductions that no tile loop does: sums over any axes, the search for numbers that are not finite, and
// histograms of exponents.
#include <algorithm>
#include <array>
#include <bit>

#include "step.hpp"

namespace halfling::cpu {
namespace {

/// Sums over any axes: kept axes outside, summed axes inside, in double.
class SumStep final : public Step {
 public:
  SumStep(const StepContext& context, const Item& item)
      : team_(context.team),
        dtype_(context.program.slot(item.in[0]).dtype),
        from_(context.address(item.in[0])),
        to_(context.address(item.out[0])) {
    const Shape &x = context.program.slot(item.in[0]).shape, &y = context.program.slot(item.out[0]).shape;
    std::int64_t stride = 1;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      auto& list = y[axis] == x[axis] ? kept_ : summed_;
      if (x[axis] != 1) list.insert(list.begin(), {x[axis], stride});
      stride *= x[axis];
    }
    results_ = y.elements();
    terms_ = x.elements() / results_;
  }
  std::string implementation() const override { return "loops"; }

  void run() override {
    team_.split(results_, terms_, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        double total = 0;
        const std::int64_t base = offset(kept_, i);
        for (std::int64_t j = 0; j < terms_; ++j) total += value(base + offset(summed_, j));
        const auto result = static_cast<float>(total);
        kernels().store(dtype_, &result, to_ + static_cast<std::size_t>(i) * size_of(dtype_), 1);
      }
    });
  }

 private:
  struct Axis {
    std::int64_t extent, stride;
  };
  static std::int64_t offset(const std::vector<Axis>& axes, std::int64_t index) {
    std::int64_t result = 0;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      result += index % axis->extent * axis->stride;
      index /= axis->extent;
    }
    return result;
  }
  float value(std::int64_t index) const {
    float result;
    kernels().load(dtype_, from_ + static_cast<std::size_t>(index) * size_of(dtype_), &result, 1);
    return result;
  }

  const Team& team_;
  DType dtype_;
  const std::byte* from_;
  std::byte* to_;
  std::vector<Axis> kept_, summed_;
  std::int64_t results_ = 1, terms_ = 1;
};

class NonfiniteStep final : public Step {
 public:
  NonfiniteStep(const StepContext& context, const Item& item)
      : team_(context.team), to_(context.as<std::uint8_t>(item.out[0])) {
    for (const Ref ref : item.in) {
      const Slot& slot = context.program.slot(ref);
      parts_.push_back({slot.dtype, context.address(ref), slot.shape.elements()});
      elements_ += slot.shape.elements();
    }
    found_.resize(static_cast<std::size_t>(team_.threads()));
  }
  std::string implementation() const override { return std::string("scan:") + kernels().name; }

  void run() override {
    std::ranges::fill(found_, std::uint8_t{0});
    const int threads = team_.threads_for(elements_, 1 << 16);
    team_.run(threads, [&](int thread) {
      for (const Part& part : parts_) {
        const Range range = share(part.elements, thread, threads);
        const std::byte* from = part.from + static_cast<std::size_t>(range.begin) * size_of(part.dtype);
        if (kernels().any_nonfinite(part.dtype, from, range.end - range.begin))
          found_[static_cast<std::size_t>(thread)] = 1;
      }
    });
    *to_ = *std::ranges::max_element(found_);
  }

 private:
  struct Part {
    DType dtype;
    const std::byte* from;
    std::int64_t elements;
  };
  const Team& team_;
  std::uint8_t* to_;
  std::vector<Part> parts_;
  std::int64_t elements_ = 0;
  std::vector<std::uint8_t> found_;
};

/// Counts by the bits of an element as f32, which holds every element of a half format.
class HistogramStep final : public Step {
 public:
  HistogramStep(const StepContext& context, const Item& item)
      : team_(context.team),
        dtype_(context.program.slot(item.in[0]).dtype),
        elements_(context.program.slot(item.in[0]).shape.elements()),
        from_(context.address(item.in[0])),
        to_(context.as<std::int32_t>(item.out[0])),
        counts_(static_cast<std::size_t>(team_.threads())) {}
  std::string implementation() const override { return "loops"; }

  void run() override {
    const int threads = team_.threads_for(elements_);
    team_.run(threads, [&](int thread) {
      counts_[static_cast<std::size_t>(thread)] = {};
      count(share(elements_, thread, threads), counts_[static_cast<std::size_t>(thread)]);
    });
    for (std::size_t i = 0; i < histogram_counts; ++i) {
      to_[i] = 0;
      for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread)
        to_[i] += counts_[thread][i];
    }
  }

 private:
  using Counts = std::array<std::int32_t, histogram_counts>;

  /// Fields of the bits first, in two tables by turns, because neighbours tend to have the same exponent.
  void count(Range range, Counts& counts) const {
    constexpr std::int64_t tile = 1024;
    constexpr std::size_t subnormal = -126 - least_exponent;  // exponents below those of normal numbers
    std::array<float, tile> values;
    std::array<std::array<std::int32_t, 256>, 2> fields{};
    for (std::int64_t at = range.begin; at < range.end; at += tile) {
      const std::int64_t n = std::min(tile, range.end - at);
      kernels().load(dtype_, from_ + static_cast<std::size_t>(at) * size_of(dtype_), values.data(), n);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffu;
        ++fields[i & 1][bits >> 23];
        if (bits < 0x00800000u) ++counts[static_cast<std::size_t>(std::bit_width(bits))];
      }
    }
    for (std::size_t field = 1; field < 256; ++field)
      counts[subnormal + field] += fields[0][field] + fields[1][field];
  }

  const Team& team_;
  DType dtype_;
  std::int64_t elements_;
  const std::byte* from_;
  std::int32_t* to_;
  std::vector<Counts> counts_;  ///< by thread
};

}  // namespace

StepPointer make_reduction_step(const StepContext& context, const Item& item) {
  const Op op = context.graph.node(item.node).op;
  if (op == Op::exponent_histogram) return std::make_unique<HistogramStep>(context, item);
  if (op == Op::any_nonfinite) return std::make_unique<NonfiniteStep>(context, item);
  if (op == Op::sum) return std::make_unique<SumStep>(context, item);
  no_way_to_run(op);
}

}  // namespace halfling::cpu
