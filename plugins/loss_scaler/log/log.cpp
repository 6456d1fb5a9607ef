// SPDX-License-Identifier: Apache-2.0
// The slow controller of StyleGAN2 (NVlabs/stylegan2, dnnlib/tflib/optimizer.py): the logarithm of the scale
// to base 2 rises by `increment` with every clean iteration and falls by `decrement` with a skipped one. It
// settles where one iteration in decrement / increment overflows. The scale stays within [minimum, maximum].
#include <numbers>

#include "halfling/error.hpp"
#include "halfling/loss_scaler.hpp"

namespace {

using halfling::Graph;
using halfling::Value;

class Log : public halfling::LossScaler {
 public:
  explicit Log(const halfling::Options& options)
      : initial_(options.number("initial")),
        increment_(options.number("increment")),
        decrement_(options.number("decrement")),
        minimum_(options.number("minimum")),
        maximum_(options.number("maximum")) {
    refuse_unless(minimum_ <= maximum_, "minimum", minimum_, "at most maximum");
    refuse_unless(initial_ >= minimum_ && initial_ <= maximum_, "initial", initial_,
                  "within minimum and maximum");
  }

  Value scale(Graph& graph, const std::string& prefix) const override {
    return exp(std::numbers::ln2 * log2_scale(graph, prefix));
  }

  void update(Graph& graph, const std::string& prefix, Value found) const override {
    const Value log2 = log2_scale(graph, prefix);
    const Value lower = maximum(log2 + -decrement_, constant(graph, minimum_));
    const Value higher = minimum(log2 + increment_, constant(graph, maximum_));
    graph.assign(prefix + ".log2_scale", select(found, lower, higher));
  }

 private:
  static void refuse_unless(bool condition, const char* option, double value, const char* expected) {
    if (!condition)
      throw halfling::Error({.what = std::string("loss scaler option ") + option + " is out of range",
                             .where = "loss_scaler." + std::string(option),
                             .got = std::to_string(value),
                             .expected = expected,
                             .hint = "",
                             .kind = halfling::ErrorKind::usage});
  }

  Value log2_scale(Graph& graph, const std::string& prefix) const {
    return state(graph, {.name = prefix + ".log2_scale",
                         .dtype = halfling::DType::f32,
                         .shape = {},
                         .initial = {halfling::Initial::Kind::constant, initial_},
                         .role = halfling::StateRole::scaler});
  }

  double initial_, increment_, decrement_, minimum_, maximum_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"initial", number, "log2", "16", "log2 of the first iteration's scale; StyleGAN2: 64", 0, 64},
    {"increment", number, "log2", "0.0005", "added after a clean iteration", 1e-5, 16},
    {"decrement", number, "log2", "1", "subtracted after a skipped iteration", 1e-5, 16},
    {"minimum", number, "log2", "0", "log2 of the scale never falls below", 0, 64},
    {"maximum", number, "log2", "24", "log2 of the scale never grows above", 0, 64},
};

}  // namespace

HALFLING_PLUGIN(Log, "log", HALFLING_VERSION,
                "StyleGAN2's: log2 of the scale drifts up, and falls when skipped", options)
