// SPDX-License-Identifier: Apache-2.0
// Double precision everywhere, parameters too: the judge of the others, for the reference backend.
#include "halfling/precision.hpp"

namespace {

class Fp64 : public halfling::PrecisionPolicy {
 public:
  explicit Fp64(const halfling::Options&) {}
  halfling::Precision precision(const halfling::Graph&, const halfling::Node&) const override {
    return {halfling::DType::f64, halfling::DType::f64};
  }
  halfling::DType parameter_format() const override { return halfling::DType::f64; }
  std::vector<halfling::DType> formats() const override { return {halfling::DType::f64}; }
};

}  // namespace

HALFLING_PLUGIN(Fp64, "fp64", HALFLING_VERSION, "double precision everywhere, to judge the others",
                halfling::no_options)
