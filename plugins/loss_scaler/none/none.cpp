// SPDX-License-Identifier: Apache-2.0
// No loss scaling and no check of the gradients.
#include "halfling/loss_scaler.hpp"

namespace {

class None : public halfling::LossScaler {
 public:
  explicit None(const halfling::Options&) {}
  bool active() const override { return false; }
  halfling::Value scale(halfling::Graph& graph, const std::string&) const override {
    return halfling::constant(graph, 1);
  }
  void update(halfling::Graph&, const std::string&, halfling::Value) const override {}
};

}  // namespace

HALFLING_PLUGIN(None, "none", HALFLING_VERSION, "no loss scaling, no check of the gradients",
                halfling::no_options)
