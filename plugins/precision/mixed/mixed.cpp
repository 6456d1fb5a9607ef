// SPDX-License-Identifier: Apache-2.0
// Mixed precision (Micikevicius et al. 2018; the seed's split): contractions and batch norm read and write a
// half format and accumulate in f32; parameters, statistics, softmax, losses and reductions stay in f32.
#include "halfling/precision.hpp"

namespace {

using halfling::DType;
using halfling::Op;
using halfling::OpClass;

class Mixed : public halfling::PrecisionPolicy {
 public:
  explicit Mixed(const halfling::Options& options) {
    const std::string& half = options.string("half");
    choose_ = half == "auto";
    half_ = half == "bf16" ? DType::bf16 : DType::f16;
  }

  /// The half format computed natively; fp16 where both or neither are (the seed's format).
  void bind(const halfling::Device& device) override {
    using enum halfling::FormatSupport;
    if (choose_) half_ = device.f16 != native && device.bf16 == native ? DType::bf16 : DType::f16;
  }

  halfling::Precision precision(const halfling::Graph&, const halfling::Node& node) const override {
    switch (halfling::class_of(node.op)) {
      case OpClass::contraction:
      case OpClass::normalization:
        return {half_, DType::f32};
      case OpClass::reduction:
      case OpClass::loss:
        return {DType::f32, DType::f32};
      case OpClass::pointwise:
        // The seed casts to single precision before the sigmoid; autocast lists do the same for exp and log.
        if (node.op == Op::sigmoid || node.op == Op::tanh || node.op == Op::exp || node.op == Op::log)
          return {DType::f32, DType::f32};
        return {std::nullopt, DType::f32};
      default:
        return {std::nullopt, DType::f32};
    }
  }

  std::vector<DType> formats() const override { return {half_, DType::f32}; }

 private:
  bool choose_ = false;
  DType half_ = DType::f16;
};

constexpr halfling::OptionDeclaration options[] = {
    {"half", halfling::OptionType::string, "", "\"auto\"",
     "half format of contractions and batch norm; auto: the one that the device computes natively",
     -halfling::unbounded, halfling::unbounded, "fp16|bf16|auto"},
};

}  // namespace

HALFLING_PLUGIN(Mixed, "mixed", HALFLING_VERSION,
                "half contractions and batch norm, single parameters and losses", options)
