// SPDX-License-Identifier: Apache-2.0
// A fixed loss scale; an update whose gradients are not finite is skipped. The article's is 128.
#include "halfling/loss_scaler.hpp"

namespace {

class Static : public halfling::LossScaler {
 public:
  explicit Static(const halfling::Options& options) : scale_(options.number("scale")) {}
  halfling::Value scale(halfling::Graph& graph, const std::string&) const override {
    return halfling::constant(graph, scale_);
  }
  void update(halfling::Graph&, const std::string&, halfling::Value) const override {}

 private:
  double scale_;
};

constexpr halfling::OptionDeclaration options[] = {
    {"scale", halfling::OptionType::number, "", "128", "factor of the loss; a power of two is exact", 1,
     0x1p24},
};

}  // namespace

HALFLING_PLUGIN(Static, "static", HALFLING_VERSION, "a fixed loss scale", options)
