// SPDX-License-Identifier: Apache-2.0
// A plugin as its author would write it.
#include <limits>

#include "halfling/loss_scaler.hpp"

namespace {

class Good final : public halfling::LossScaler {
 public:
  explicit Good(const halfling::Options& options) : initial_(options.number("initial")) {}
  halfling::Value scale(halfling::Graph& graph, const std::string&) const override {
    return halfling::constant(graph, initial_);
  }
  void update(halfling::Graph&, const std::string&, halfling::Value) const override {}

 private:
  double initial_;
};

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr halfling::OptionDeclaration options[] = {
    {"initial", halfling::OptionType::number, "", "65536", "scale of the first iteration", 1, 1e9},
    {"half", halfling::OptionType::string, "", "\"auto\"", "format of activations", -unbounded, unbounded,
     "fp16|bf16|auto"},
    {"file", halfling::OptionType::path, "", nullptr, "a file to read"},
};

}  // namespace

HALFLING_PLUGIN(Good, "good", "1.2.3", "a scale that never changes", options)
