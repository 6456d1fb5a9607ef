// SPDX-License-Identifier: Apache-2.0
// The dynamic rule of Apex, PyTorch and Keras: an iteration with a gradient that is not finite is skipped and
// multiplies the scale by `backoff`; `interval` clean iterations in a row multiply it by `growth`. The scale
// stays within [minimum, maximum], so it can reach neither zero nor infinity.
#include "../limits.hpp"

namespace {

using halfling::Graph;
using halfling::number_text;
using halfling::refuse_unless;
using halfling::scaler_state;
using halfling::Value;

class Dynamic : public halfling::LossScaler {
 public:
  explicit Dynamic(const halfling::Options& options)
      : limits_(options),
        growth_(options.number("growth")),
        backoff_(options.number("backoff")),
        interval_(options.number("interval")) {
    refuse_unless(growth_ > 1, "the loss scale would never grow", "loss_scaler.growth", number_text(growth_),
                  "a number greater than 1");
    refuse_unless(backoff_ < 1, "the loss scale would never fall", "loss_scaler.backoff",
                  number_text(backoff_), "a number less than 1");
  }

  Value scale(Graph& graph, const std::string& prefix) const override {
    return scaler_state(graph, prefix + ".scale", limits_.initial);
  }

  void update(Graph& graph, const std::string& prefix, Value found) const override {
    const Value current = scale(graph, prefix);
    const Value clean = scaler_state(graph, prefix + ".clean_iterations", 0);
    const Value zero = constant(graph, 0);
    const Value next = select(found, zero, clean + 1.0);
    const Value grow = less(constant(graph, interval_ - 0.5), next);
    const Value lower = maximum(backoff_ * current, constant(graph, limits_.minimum));
    const Value higher = minimum(growth_ * current, constant(graph, limits_.maximum));
    graph.assign(prefix + ".scale", select(found, lower, select(grow, higher, current)));
    graph.assign(prefix + ".clean_iterations", select(grow, zero, next));
  }

 private:
  halfling::ScaleLimits limits_;
  double growth_, backoff_, interval_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"initial", number, "", "65536", "scale of the first iteration", 1, 0x1p64},
    {"growth", number, "", "2", "factor after `interval` clean iterations; greater than 1", 1, 0x1p10},
    {"backoff", number, "", "0.5", "factor after a skipped iteration; less than 1", 0x1p-10, 1},
    {"interval", integer, "iterations", "2000", "clean iterations before the scale grows", 1, 0x1p23},
    {"minimum", number, "", "1", "the scale never falls below", 1, 0x1p64},
    {"maximum", number, "", "16777216", "the scale never grows above", 1, 0x1p64},
};

}  // namespace

HALFLING_PLUGIN(Dynamic, "dynamic", HALFLING_VERSION, "grows while gradients are finite, backs off when not",
                options)
