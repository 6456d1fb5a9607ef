// SPDX-License-Identifier: Apache-2.0
#include "halfling/nn.hpp"

#include <cmath>

#include "halfling/architecture.hpp"
#include "halfling/optimizer.hpp"

namespace halfling {
namespace nn {
namespace {

/// y + b, b [C] along axis 1.
Value add_bias(Value y, const std::string& name) {
  const std::int64_t channels = y.shape()[1];
  const Value bias = parameter(*y.graph, name + ".bias", {channels}, {});
  return y + reshape(bias, y.shape().rank() == 2 ? Shape{1, channels} : Shape{1, channels, 1, 1});
}

Value statistic(Graph& graph, const std::string& name, std::int64_t channels, double initial) {
  return state(graph, {.name = name,
                       .dtype = DType::f32,
                       .shape = {channels},
                       .initial = {Initial::Kind::constant, initial},
                       .role = StateRole::statistic});
}

}  // namespace

Value parameter(Graph& graph, const std::string& name, Shape shape, Initial initial) {
  return state(
      graph,
      {.name = name, .dtype = DType::f32, .shape = shape, .initial = initial, .role = StateRole::parameter});
}

Value linear(Value x, const std::string& name, std::int64_t out) {
  const Scope scope(*x.graph, name);
  const std::int64_t in = x.shape()[1];
  // Glorot and Bengio 2010, eq. 16
  const Initial glorot{Initial::Kind::uniform, std::sqrt(6.0 / static_cast<double>(in + out))};
  return add_bias(matmul(x, parameter(*x.graph, name + ".weight", {out, in}, glorot), false, true), name);
}

Value conv2d(Value x, const std::string& name, std::int64_t out, int kernel, int stride, int padding,
             Initial weight) {
  const Scope scope(*x.graph, name);
  const Value w = parameter(*x.graph, name + ".weight", {out, x.shape()[1], kernel, kernel}, weight);
  return add_bias(halfling::conv2d(x, w, stride, padding), name);
}

Value conv2d_transpose(Value x, const std::string& name, std::int64_t out, int kernel, int stride,
                       int padding, Initial weight) {
  const Scope scope(*x.graph, name);
  const Value w = parameter(*x.graph, name + ".weight", {x.shape()[1], out, kernel, kernel}, weight);
  return add_bias(halfling::conv2d_transpose(x, w, stride, padding), name);
}

Value batch_norm(Value x, const std::string& name, BatchNorm options, Mode mode) {
  Graph& graph = *x.graph;
  const Scope scope(graph, name);
  const std::int64_t channels = x.shape()[1];
  const Value gamma = parameter(graph, name + ".weight", {channels}, {Initial::Kind::constant, 1});
  const Value beta = parameter(graph, name + ".bias", {channels}, {});
  const Value mean = statistic(graph, name + ".running_mean", channels, 0);
  const Value variance = statistic(graph, name + ".running_var", channels, 1);
  const EpsilonAttributes epsilon{options.epsilon};
  if (mode == Mode::inference)
    return {&graph, graph.append_value(Op::batch_norm_inference, {x, gamma, beta, mean, variance}, epsilon)};

  const std::vector<ValueId> y = graph.node(graph.append(Op::batch_norm, {x, gamma, beta}, epsilon)).results;
  const auto count = static_cast<double>(x.shape().elements() / channels);
  const MovingAverageAttributes plain{options.momentum, 1};
  const MovingAverageAttributes unbiased{options.momentum, count > 1 ? count / (count - 1) : 1};
  graph.context().stage = Stage::update;
  graph.assign(name + ".running_mean", graph.append_value(Op::moving_average, {mean, y[1]}, plain));
  graph.assign(name + ".running_var", graph.append_value(Op::moving_average, {variance, y[2]}, unbiased));
  graph.context().stage = Stage::forward;
  return {&graph, y[0]};
}

namespace {

Value normalised(Value x) {
  const Value length = sqrt(sum(x * x, (1u << x.shape().rank()) - 1));
  return x / maximum(length, constant(*x.graph, 1e-12, length.shape(), length.dtype()));
}

/// A state kept by the forward pass that begins at random, in any length: it is normalised where it is used.
Value direction(Graph& graph, const std::string& name, Shape shape) {
  return state(graph, {.name = name,
                       .dtype = DType::f32,
                       .shape = shape,
                       .initial = {Initial::Kind::normal, 1},
                       .role = StateRole::statistic});
}

}  // namespace

Value spectral_norm(Value weight, const std::string& name, Mode mode, int axis) {
  Graph& graph = *weight.graph;
  const Scope scope(graph, name);
  const unsigned rows = 1u << axis, others = ((1u << weight.shape().rank()) - 1) & ~rows;
  Shape across = weight.shape(), along;
  for (int i = 0; i < across.rank(); ++i) along.push_back(i == axis ? across[i] : 1);
  across[axis] = 1;
  const std::string u_name = name + ".u", v_name = name + ".v";
  Value u = direction(graph, u_name, along), v = direction(graph, v_name, across);
  const bool first_call = graph.find_state(u_name)->latest == graph.find_state(u_name)->first;
  if (mode == Mode::inference) {
    u = normalised(u), v = normalised(v);
  } else if (first_call) {
    const Value fixed = detach(weight);
    v = normalised(sum(fixed * u, rows));
    u = normalised(sum(fixed * v, others));
    graph.assign(u_name, u);
    graph.assign(v_name, v);
  }
  const Value sigma = sum(detach(u) * sum(weight * detach(v), others), rows);
  return weight / sigma;
}

}  // namespace nn

namespace {

/// A number for each channel, as an operand of [N,C,H,W].
Value by_channel(Graph& graph, const std::vector<double>& values) {
  std::vector<Value> parts;
  for (const double value : values) parts.push_back(constant(graph, value, {1, 1, 1, 1}));
  return parts.size() == 1 ? parts.front() : concat(parts, 1);
}

bool is_unit(const ValueRange& values) {
  return values == ValueRange{};
}

std::vector<double> spans(const ValueRange& values) {
  std::vector<double> result;
  for (std::size_t c = 0; c < values.low.size(); ++c) result.push_back(values.high[c] - values.low[c]);
  return result;
}

/// Of images in [0, 1].
Value stretched(Value images, const ValueRange& values) {
  if (is_unit(values)) return images;
  if (values.low.size() == 1) return spans(values)[0] * images + values.low[0];
  Graph& graph = *images.graph;
  return by_channel(graph, spans(values)) * images + by_channel(graph, values.low);
}

}  // namespace

Value images_input(Graph& graph, const BatchSpec& spec) {
  const Value images{
      &graph, graph.input("images", DType::f32, {spec.batch, spec.image[0], spec.image[1], spec.image[2]})};
  return stretched(images, spec.values);
}

Value image_output(Value x, const BatchSpec& spec) {
  return stretched(sigmoid(x), spec.values);
}

Value unit_images(Value images, const BatchSpec& spec) {
  const ValueRange& values = spec.values;
  if (is_unit(values)) return images;
  if (values.low.size() == 1) return 1 / spans(values)[0] * (images + -values.low[0]);
  Graph& graph = *images.graph;
  return (images - by_channel(graph, values.low)) / by_channel(graph, spans(values));
}

Value labels_input(Graph& graph, const BatchSpec& spec, const std::string& name) {
  return {&graph, graph.input(name, DType::i32, {spec.batch})};
}
Value noise_input(Graph& graph, const std::string& name, Shape shape) {
  return {&graph, graph.input(name, DType::f32, shape)};
}

namespace {

/// A scalar, so that it can be multiplied with a value.
Value like(Value value, Value scalar) {
  Shape ones;
  for (int axis = 0; axis < value.shape().rank(); ++axis) ones.push_back(1);
  return reshape(cast(scalar, value.dtype()), ones);
}

}  // namespace

Value ParameterUpdate::gradient() const {
  return cast(scaled_gradient, parameter.dtype()) * like(parameter, inverse_scale);
}

Value ParameterUpdate::step_size() const {
  return like(parameter, learning_rate);
}

}  // namespace halfling
