// SPDX-License-Identifier: Apache-2.0
// Strict IEEE single: every op stores and computes in f32; no TF32, no down-converting.
#include "halfling/precision.hpp"

namespace {

class Fp32 : public halfling::PrecisionPolicy {
 public:
  explicit Fp32(const halfling::Options&) {}
  halfling::Precision precision(const halfling::Graph&, const halfling::Node&) const override {
    return {halfling::DType::f32, halfling::DType::f32};
  }
  std::vector<halfling::DType> formats() const override { return {halfling::DType::f32}; }
};

}  // namespace

HALFLING_PLUGIN(Fp32, "fp32", HALFLING_VERSION, "strict single precision everywhere", halfling::no_options)
