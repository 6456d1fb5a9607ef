// SPDX-License-Identifier: Apache-2.0
// The slow controller of StyleGAN2 (NVlabs/stylegan2, dnnlib/tflib/optimizer.py): the logarithm of the scale
// to base 2 rises by `increment` with every clean iteration and falls by `decrement` with a skipped one. It
// settles where one iteration in decrement / increment overflows. The scale stays within [minimum, maximum].
#include <numbers>

#include "../limits.hpp"

namespace {

using halfling::Graph;
using halfling::Value;

class Log : public halfling::LossScaler {
 public:
  explicit Log(const halfling::Options& options)
      : limits_(options), increment_(options.number("increment")), decrement_(options.number("decrement")) {}

  Value scale(Graph& graph, const std::string& prefix) const override {
    return exp(std::numbers::ln2 * log2_scale(graph, prefix));
  }

  void update(Graph& graph, const std::string& prefix, Value found) const override {
    const Value log2 = log2_scale(graph, prefix);
    const Value lower = maximum(log2 + -decrement_, constant(graph, limits_.minimum));
    const Value higher = minimum(log2 + increment_, constant(graph, limits_.maximum));
    graph.assign(prefix + ".log2_scale", select(found, lower, higher));
  }

 private:
  Value log2_scale(Graph& graph, const std::string& prefix) const {
    return halfling::scaler_state(graph, prefix + ".log2_scale", limits_.initial);
  }

  halfling::ScaleLimits limits_;
  double increment_, decrement_;
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
