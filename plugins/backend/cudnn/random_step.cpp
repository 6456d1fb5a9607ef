// SPDX-License-Identifier: Apache-2.0
// Element i in logical order, wherever it lies in memory.
#include "random_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class RandomStep final : public Step {
 public:
  RandomStep(const StepContext& context, const Item& item)
      : op_(context.graph.node(item.node).op),
        attributes_(std::get<RandomAttributes>(context.graph.node(item.node).attributes)),
        output_{.counter = context.as<std::int32_t>(item.in[0]),
                .stream = attributes_.stream,
                .to = context.as<float>(item.out[0]),
                .elements = attributes_.shape.elements()} {
    if (!is_permuted(attributes_.shape)) return;
    output_.pixels = attributes_.shape[2] * attributes_.shape[3];
    output_.channels = attributes_.shape[1];
  }
  std::string implementation() const override { return "philox"; }

  void run(cudaStream_t stream) override {
    const auto launch = op_ == Op::random_uniform ? launch_random_uniform : launch_random_normal;
    launch(stream, output_, attributes_.low, attributes_.high);
  }

 private:
  Op op_;
  RandomAttributes attributes_;
  RandomOutput output_;
};

class AdvanceStep final : public Step {
 public:
  AdvanceStep(const StepContext& context, const Item& item)
      : from_(context.as<std::int32_t>(item.in[0])), to_(context.as<std::int32_t>(item.out[0])) {}
  std::string implementation() const override { return "philox"; }
  void run(cudaStream_t stream) override { launch_advance_random(stream, from_, to_); }

 private:
  const std::int32_t* from_;
  std::int32_t* to_;
};

}  // namespace

StepPointer make_random_step(const StepContext& context, const Item& item) {
  if (context.graph.node(item.node).op == Op::advance_random)
    return std::make_unique<AdvanceStep>(context, item);
  return std::make_unique<RandomStep>(context, item);
}

}  // namespace halfling::cudnn
