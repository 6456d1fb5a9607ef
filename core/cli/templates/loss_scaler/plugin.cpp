// SPDX-License-Identifier: Apache-2.0
// A dynamic loss scale with patience, as Megatron-LM's (DynamicGradScaler): it falls only when `hysteresis`
// iterations have been skipped since it last grew, so that single outliers do not lower it.
#include "halfling/loss_scaler.hpp"

namespace {

using namespace halfling;

class Patient final : public LossScaler {
 public:
  explicit Patient(const Options& options)
      : initial_(options.number("initial")),
        hysteresis_(options.number("hysteresis")),
        interval_(options.number("interval")) {}

  Value scale(Graph& graph, const std::string& prefix) const override {
    return kept(graph, prefix + ".scale", initial_);
  }

  // Nodes of the iteration's graph: the scale never leaves the device. `found` says that a gradient was not
  // finite and the update was skipped.
  void update(Graph& graph, const std::string& prefix, Value found) const override {
    const Value now = scale(graph, prefix);
    const Value clean = kept(graph, prefix + ".clean", 0);
    const Value left = kept(graph, prefix + ".left", hysteresis_);
    const Value zero = constant(graph, 0), half = constant(graph, 0.5);

    const Value streak = select(found, zero, clean + 1.0);
    const Value remaining = select(found, left + -1.0, left);
    const Value grows = less(constant(graph, interval_ - 0.5), streak);
    const Value lower = maximum(0.5 * now, constant(graph, 1));
    const Value higher = minimum(2.0 * now, constant(graph, 0x1p24));
    const Value fallen = select(found, select(less(remaining, half), lower, now), now);

    graph.assign(prefix + ".scale", select(grows, higher, fallen));
    graph.assign(prefix + ".clean", select(grows, zero, streak));
    graph.assign(prefix + ".left", select(grows, constant(graph, hysteresis_), remaining));
  }

 private:
  // A number that stays from iteration to iteration, and in checkpoints.
  static Value kept(Graph& graph, const std::string& name, double initial) {
    return state(graph, {.name = name,
                         .dtype = DType::f32,
                         .shape = {},
                         .initial = {Initial::Kind::constant, initial},
                         .role = StateRole::scaler});
  }

  double initial_, hysteresis_, interval_;
};

constexpr OptionDeclaration options[] = {
    {"initial", OptionType::number, "", "65536", "scale of the first iteration", 1, 0x1p24},
    {"hysteresis", OptionType::integer, "iterations", "2", "skipped until the scale is halved", 1, 1000},
    {"interval", OptionType::integer, "iterations", "1000", "clean in a row until it is doubled", 1, 1000000},
};

}  // namespace

HALFLING_PLUGIN(Patient, "@NAME@", "0.1.0", "dynamic scale that bears with single overflows", options)
