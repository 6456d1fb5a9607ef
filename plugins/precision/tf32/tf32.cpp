// SPDX-License-Identifier: Apache-2.0
// Single precision stored everywhere; contractions round their operands to TF32 (10-bit fraction, 8-bit
// exponent) and accumulate in f32, as tensor cores from Ampere on do when a library allows it.
#include "halfling/precision.hpp"

namespace {

using halfling::DType;

class Tf32 : public halfling::PrecisionPolicy {
 public:
  explicit Tf32(const halfling::Options&) {}
  halfling::Precision precision(const halfling::Graph&, const halfling::Node& node) const override {
    const bool contraction = halfling::class_of(node.op) == halfling::OpClass::contraction;
    return {DType::f32, contraction ? DType::tf32 : DType::f32};
  }
  std::vector<DType> formats() const override { return {DType::f32, DType::tf32}; }
};

}  // namespace

HALFLING_PLUGIN(Tf32, "tf32", HALFLING_VERSION, "single precision, contractions in TF32",
                halfling::no_options)
