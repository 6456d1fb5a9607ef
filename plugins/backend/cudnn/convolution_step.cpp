// SPDX-License-Identifier: Apache-2.0
// The convolution family: the plan that convolution_plan chooses, bound to the addresses once.
#include <algorithm>

#include "convolution_plan.hpp"
#include "device_buffer.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

PlanOptions options_of(const Libraries& libraries) {
  return {.workspace_limit = libraries.workspace_limit,
          .nondeterministic = libraries.nondeterministic,
          .runtime_compilation = libraries.runtime_compiled,
          .candidates = static_cast<std::size_t>(std::max(libraries.timed, 1))};
}

/// Which operand or result is the image, the filter and the response.
ConvolutionPointers pointers_of(const StepContext& context, const Item& item, ConvolutionKind kind) {
  void* const first = context.address(item.in[0]);
  void* const second = context.address(item.in[1]);
  void* const result = context.address(item.out[0]);
  switch (kind) {
    case ConvolutionKind::fprop:
      return {.image = first, .filter = second, .response = result};
    case ConvolutionKind::dgrad:
      return {.image = result, .filter = second, .response = first};
    default:
      return {.image = first, .filter = result, .response = second};
  }
}

class ConvolutionStep final : public Step {
 public:
  ConvolutionStep(const StepContext& context, const Item& item)
      : handle_(context.libraries.dnn),
        plan_(choose_plan({context.libraries.device, handle_},
                          convolution_of(context.graph, context.graph.node(item.node)),
                          options_of(context.libraries))),
        pointers_(pointers_of(context, item, plan_.problem().kind)) {
    if (context.libraries.timed > 1) take_fastest(context.libraries);
  }

  std::size_t scratch_bytes() const override { return plan_.workspace(); }
  void use_scratch(std::byte* scratch) override { plan_.bind(pointers_, scratch); }
  void run(cudaStream_t) override { plan_.execute(handle_); }
  std::string implementation() const override { return "cudnn " + plan_.record(); }

 private:
  void take_fastest(const Libraries& libraries) {
    auto& fastest = libraries.timings->fastest;
    if (const auto known = fastest.find(plan_.problem()); known != fastest.end())
      return plan_.take(known->second);
    const DeviceBuffer workspace(plan_.largest_workspace());
    plan_.bind(pointers_, workspace.data());
    plan_.autotune(handle_, libraries.stream);
    fastest[plan_.problem()] = {plan_.chosen().source, plan_.chosen().seconds.value()};
  }

  cudnnHandle_t handle_;
  ConvolutionPlan plan_;
  ConvolutionPointers pointers_;
};

}  // namespace

StepPointer make_convolution_step(const StepContext& context, const Item& item) {
  return std::make_unique<ConvolutionStep>(context, item);
}

}  // namespace halfling::cudnn
