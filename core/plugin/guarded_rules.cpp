// SPDX-License-Identifier: Apache-2.0
// The kinds that answer with values and formats: precision policies, loss scalers, optimizers.
#include <fmt/format.h>

#include <cmath>

#include "plugin/guarded.hpp"

namespace halfling {
namespace {

/// Refuses a value that is not of this graph, format and shape.
void check_value(const Boundary& boundary, const char* call, const char* what, const Graph* graph, Value got,
                 DType dtype, const Shape& shape) {
  const bool exists =
      got.graph == graph && got.id >= 0 && static_cast<std::size_t>(got.id) < graph->values().size();
  if (exists && got.dtype() == dtype && got.shape() == shape) return;
  boundary.refuse(call, {.what = what,
                         .where = exists ? graph->describe(got.id) : "",
                         .got = exists ? fmt::format("{} {}", name_of(got.dtype()), got.shape().text())
                                       : "a value that is not of the graph",
                         .expected = fmt::format("{} {}", name_of(dtype), shape.text())});
}

class GuardedLossScaler final : public Guarded<LossScaler> {
 public:
  using Guarded::Guarded;

  bool active() const override {
    return call("LossScaler::active", [](const LossScaler& inner) { return inner.active(); });
  }
  Value scale(Graph& graph, const std::string& prefix) const override {
    const Value made =
        call("LossScaler::scale", [&](const LossScaler& inner) { return inner.scale(graph, prefix); });
    check_value(boundary(), "LossScaler::scale", "a loss scale is no scalar", &graph, made, DType::f32, {});
    return made;
  }
  void update(Graph& graph, const std::string& prefix, Value found) const override {
    call("LossScaler::update", [&](const LossScaler& inner) { inner.update(graph, prefix, found); });
  }
};

class GuardedOptimizer final : public Guarded<Optimizer> {
 public:
  using Guarded::Guarded;

  double learning_rate() const override {
    const double rate =
        call("Optimizer::learning_rate", [](const Optimizer& inner) { return inner.learning_rate(); });
    if (!std::isfinite(rate))
      boundary().refuse("Optimizer::learning_rate", {.what = "a learning rate is not finite",
                                                     .got = fmt::format("{}", rate),
                                                     .expected = "a finite number"});
    return rate;
  }
  Value update(const ParameterUpdate& update) const override {
    const Value made =
        call("Optimizer::update", [&](const Optimizer& inner) { return inner.update(update); });
    check_value(boundary(), "Optimizer::update", "a parameter's next value does not fit it",
                update.parameter.graph, made, update.parameter.dtype(), update.parameter.shape());
    return made;
  }
};

class GuardedPolicy final : public Guarded<PrecisionPolicy> {
 public:
  using Guarded::Guarded;

  void bind(const Device& device) override {
    call("PrecisionPolicy::bind", [&](PrecisionPolicy& inner) { inner.bind(device); });
  }
  Precision precision(const Graph& graph, const Node& node) const override {
    const char* const name = "PrecisionPolicy::precision";
    const Precision answer =
        call(name, [&](const PrecisionPolicy& inner) { return inner.precision(graph, node); });
    if (answer.io) check_format(name, *answer.io);
    check_format(name, answer.compute);
    return answer;
  }
  void check(std::span<const Graph* const> graphs) const override {
    call("PrecisionPolicy::check", [&](const PrecisionPolicy& inner) { inner.check(graphs); });
  }
  bool wide_weight_gradients() const override {
    return call("PrecisionPolicy::wide_weight_gradients",
                [](const PrecisionPolicy& inner) { return inner.wide_weight_gradients(); });
  }
  DType parameter_format() const override {
    const DType format = call("PrecisionPolicy::parameter_format",
                              [](const PrecisionPolicy& inner) { return inner.parameter_format(); });
    check_format("PrecisionPolicy::parameter_format", format);
    return format;
  }
  std::vector<DType> formats() const override {
    std::vector<DType> formats =
        call("PrecisionPolicy::formats", [](const PrecisionPolicy& inner) { return inner.formats(); });
    for (const DType format : formats) check_format("PrecisionPolicy::formats", format);
    return formats;
  }

 private:
  void check_format(const char* call, DType format) const {
    if (is_float(format) || format == DType::tf32) return;
    boundary().refuse(call, {.what = "a precision policy names a format that no number is computed in",
                             .got = std::string(name_of(format)),
                             .expected = "f64, f32, tf32, f16 or bf16"});
  }
};

}  // namespace

std::unique_ptr<LossScaler> guard(const Boundary& boundary, std::unique_ptr<LossScaler> inner) {
  return std::make_unique<GuardedLossScaler>(boundary, std::move(inner));
}

std::unique_ptr<Optimizer> guard(const Boundary& boundary, std::unique_ptr<Optimizer> inner) {
  return std::make_unique<GuardedOptimizer>(boundary, std::move(inner));
}

std::unique_ptr<PrecisionPolicy> guard(const Boundary& boundary, std::unique_ptr<PrecisionPolicy> inner) {
  return std::make_unique<GuardedPolicy>(boundary, std::move(inner));
}

}  // namespace halfling
