// SPDX-License-Identifier: Apache-2.0
#include "iteration/inputs.hpp"

#include <algorithm>

#include "iteration/batch_inputs.hpp"
#include "iteration/noise.hpp"

namespace halfling {

IterationInputs::IterationInputs(Graph& graph, const IterationRequest& request, std::int64_t batches)
    : graph_(graph), request_(request), inputs_(static_cast<std::size_t>(batches)) {
  graph_.context().scope = "input";
  for (std::int64_t batch = 0; batch < batches; ++batch) declare(batch);
  if (!request_.given_noise)
    random_ = graph_.state({.name = "random",
                            .dtype = DType::i32,
                            .shape = {4},
                            .initial = {Initial::Kind::random_counter, 0},
                            .role = StateRole::counter});
}

void IterationInputs::declare(std::int64_t batch) {
  const BatchSpec& spec = request_.spec;
  std::map<std::string, ValueId>& inputs = inputs_[static_cast<std::size_t>(batch)];
  const Shape shape{spec.batch, spec.image[0], spec.image[1], spec.image[2]};
  const std::string images = batch_input("images", batch);
  if (request_.given_float_images) {
    inputs["images"] = graph_.input(images, DType::f32, shape);
  } else {
    const Value bytes{&graph_, graph_.input(images, DType::u8, shape)};
    inputs["images"] = 1.0 / 255 * cast(bytes, DType::f32);
  }
  inputs["labels"] = graph_.input(batch_input("labels", batch), DType::i32, {spec.batch});
}

const std::map<std::string, ValueId>& IterationInputs::of(const Graph& phase, std::int64_t batch) {
  graph_.context().scope = "input";
  std::map<std::string, ValueId>& inputs = inputs_[static_cast<std::size_t>(batch)];
  for (const Noise& noise : request_.architecture->noises()) {
    const auto port = std::ranges::find(phase.inputs(), noise.name, &Port::name);
    if (port == phase.inputs().end() || inputs.contains(noise.name)) continue;
    inputs[noise.name] = draw_part(noise, phase.value(port->value).shape, batch);
  }
  return inputs;
}

/// Of what all processes draw, which is what one process with a batch as large would: noise by sample has the
/// batch as its first axis, other noise is the same for all.
ValueId IterationInputs::draw_part(const Noise& noise, const Shape& shape, std::int64_t batch) {
  const World world = request_.world;
  const bool by_sample = shape.rank() > 0 && shape[0] % request_.spec.batch == 0;
  if (world.size == 1 || !by_sample || request_.given_noise) return draw(noise, shape, batch);
  Shape all = shape;
  all[0] *= world.size;
  return slice({&graph_, draw(noise, all, batch)}, 0, world.rank * shape[0], shape[0]);
}

ValueId IterationInputs::draw(const Noise& noise, const Shape& shape, std::int64_t batch) {
  const std::string name = batch_input(noise.name, batch);
  if (request_.given_noise) return graph_.input(name, noise.dtype(), shape);
  return draw_noise(graph_, random_, noise, name, shape, request_.spec.classes);
}

void IterationInputs::advance() {
  if (!request_.given_noise) graph_.assign("random", graph_.append_value(Op::advance_random, {random_}));
}

}  // namespace halfling
