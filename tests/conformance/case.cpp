// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>

#include "halfling/gradient.hpp"

namespace halfling::conformance {

Builder::Builder(Settings settings) : settings_(std::move(settings)) {
  graph.context().scope = settings_.name;
  graph.context().compute = settings_.format.compute;
}

Value Builder::input(const std::string& name, DType dtype, Shape shape, const Fill& fill) {
  const bool smooth = settings_.smooth && is_float(dtype) && fill.kind == Fill::Kind::integers;
  inputs_[name] = filled(dtype, shape, smooth ? reals(-1, 1) : fill, settings_.name + name);
  return {&graph, graph.input(name, dtype, shape)};
}

Value Builder::state(const std::string& name, DType dtype, Shape shape, const Fill& fill) {
  states_[name] = filled(dtype, shape, fill, settings_.name + name);
  State declaration;
  declaration.name = name;
  declaration.dtype = dtype;
  declaration.shape = shape;
  return {&graph, graph.state(declaration)};
}

Value Builder::append(Op op, std::vector<ValueId> operands, Attributes attributes) {
  return {&graph, graph.append_value(op, std::move(operands), std::move(attributes))};
}

void Builder::check(const std::string& name, Value result, const std::vector<Value>& with_respect_to) {
  output(name, result);
  if (with_respect_to.empty()) return;
  std::vector<Output> losses{{name, result}};
  std::vector<Value> targets = with_respect_to;
  for (int i = 0; i < settings_.order; ++i) {
    const std::size_t inputs_before = graph.inputs().size();
    losses = differentiate(losses, targets);
    for (std::size_t k = inputs_before; k < graph.inputs().size(); ++k)
      targets.push_back({&graph, graph.inputs()[k].value});
  }
}

std::vector<Builder::Output> Builder::differentiate(const std::vector<Output>& losses,
                                                    const std::vector<Value>& targets) {
  Differentiation& record = differentiations_.emplace_back();
  std::vector<ValueId> values, seeds;
  for (const Output& loss : losses) {
    record.losses.push_back({loss.name, "weights of " + loss.name});
    values.push_back(loss.value);
    seeds.push_back(
        input(record.losses.back().input, loss.value.dtype(), loss.value.shape(), settings_.fill));
  }
  const std::vector<ValueId> target_ids(targets.begin(), targets.end());
  const std::vector<ValueId> gradients = gradient(graph, values, seeds, target_ids);
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] == no_value) continue;
    outputs.push_back({losses[0].name + "/d " + input_name(targets[i]), {&graph, gradients[i]}});
    output(outputs.back().name, outputs.back().value);
    record.gradients.push_back({outputs.back().name, input_name(targets[i])});
  }
  return outputs;
}

const std::string& Builder::input_name(ValueId value) const {
  return std::ranges::find(graph.inputs(), value, &Port::value)->name;
}

}  // namespace halfling::conformance
