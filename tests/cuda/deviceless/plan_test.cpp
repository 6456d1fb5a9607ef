// SPDX-License-Identifier: Apache-2.0
// What choose_plan refuses and says, with the real cuDNN and a device that is only described.
#include <doctest/doctest.h>

#include <algorithm>

#include "cudnn/convolution_plan.hpp"
#include "devices.hpp"
#include "halfling/error.hpp"

using namespace halfling;
using namespace halfling::cudnn;

namespace {

/// One device a process: the cases of A100 and of T4 run apart.
const Target& target(const char* name) {
  const auto device =
      std::ranges::find(test::described_devices, std::string_view(name), &test::DescribedDevice::name);
  static const Target target = Target::described(name, test::properties(*device));
  return target;
}
const Target& a100() {
  return target("A100");
}

/// 64 to 128 channels, 16x16 to 8x8.
ConvolutionProblem problem(ConvolutionKind kind, DType data, DType compute = DType::f32) {
  return {.kind = kind,
          .n = 1024,
          .c = 64,
          .h = 16,
          .w = 16,
          .k = 128,
          .p = 8,
          .q = 8,
          .r = 4,
          .s = 4,
          .stride = 2,
          .padding = 1,
          .data = data,
          .compute = compute};
}

bool carries(const Candidate& candidate, std::string_view note) {
  return std::ranges::find(candidate.notes, note) != candidate.notes.end();
}

ErrorDetails failure(const Target& target, const ConvolutionProblem& problem) {
  try {
    choose_plan(target, problem, {});
  } catch (const Error& error) {
    return error.details();
  }
  return {};
}

}  // namespace

TEST_CASE("A100: strict f32 leaves the tensor cores alone, TF32 takes them") {
  const auto strict = choose_plan(a100(), problem(ConvolutionKind::fprop, DType::f32), {});
  CHECK(strict.dropped().at("TENSOR_CORE") > 0);
  for (const Candidate& candidate : strict.candidates()) CHECK_FALSE(carries(candidate, "TENSOR_CORE"));
  CHECK(strict.chosen().source.starts_with("FALLBACK["));
  const auto tf32 = choose_plan(a100(), problem(ConvolutionKind::fprop, DType::f32, DType::tf32), {});
  CHECK(carries(tf32.chosen(), "TENSOR_CORE"));
  for (const Candidate& candidate : tf32.candidates()) CHECK_FALSE(carries(candidate, "DOWN_CONVERT_INPUTS"));
}

TEST_CASE("A100: the search ends with as many candidates as are wanted") {
  PlanOptions options;
  options.candidates = 3;
  const auto plan = choose_plan(a100(), problem(ConvolutionKind::wgrad, DType::f16), options);
  CHECK(plan.candidates().size() == 3);
  CHECK(plan.largest_workspace() >= plan.workspace());
  CHECK(plan.record().starts_with(plan.chosen().source + " engine "));
}

TEST_CASE("A100: a note is forbidden until the options allow it") {
  PlanOptions options;
  options.candidates = 1000;
  const ConvolutionProblem dgrad = problem(ConvolutionKind::dgrad, DType::f32, DType::tf32);
  const auto is_nondeterministic = [](const Candidate& candidate) {
    return carries(candidate, "NONDETERMINISTIC");
  };
  const auto deterministic = choose_plan(a100(), dgrad, options);
  CHECK(deterministic.dropped().at("NONDETERMINISTIC") > 0);
  CHECK(std::ranges::none_of(deterministic.candidates(), is_nondeterministic));
  options.nondeterministic = true;
  const auto any = choose_plan(a100(), dgrad, options);
  CHECK_FALSE(any.dropped().contains("NONDETERMINISTIC"));
  CHECK(std::ranges::any_of(any.candidates(), is_nondeterministic));
}

TEST_CASE("A100: sums are never kept in less than f32") {
  PlanOptions options;
  options.candidates = 1000;
  const auto plan = choose_plan(a100(), problem(ConvolutionKind::wgrad, DType::f16), options);
  CHECK(plan.dropped().at("REDUCED_PRECISION_REDUCTION") > 0);
  for (const Candidate& candidate : plan.candidates())
    CHECK_FALSE(carries(candidate, "REDUCED_PRECISION_REDUCTION"));
}

TEST_CASE("A100: no candidate needs more workspace than the limit") {
  PlanOptions options;
  options.workspace_limit = 0;
  const auto plan = choose_plan(a100(), problem(ConvolutionKind::dgrad, DType::f32), options);
  CHECK(plan.dropped().at("workspace") > 0);
  CHECK(plan.largest_workspace() == 0);
  options.workspace_limit = std::size_t{1} << 30;
  CHECK(choose_plan(a100(), problem(ConvolutionKind::dgrad, DType::f32), options).largest_workspace() > 0);
}

TEST_CASE("A100: channels that are no multiples of 8 have plans too") {
  for (const auto kind : {ConvolutionKind::fprop, ConvolutionKind::dgrad, ConvolutionKind::wgrad}) {
    for (const DType data : {DType::f32, DType::f16, DType::bf16}) {
      ConvolutionProblem odd = problem(kind, data);
      odd.c = 3;
      odd.k = 10;
      CAPTURE(text(odd));
      CHECK_NOTHROW(choose_plan(a100(), odd, {}));
    }
  }
}

TEST_CASE("A100: a failed call carries cuDNN's own message") {
  ConvolutionProblem wrong = problem(ConvolutionKind::fprop, DType::f16);
  wrong.p = 9;
  const ErrorDetails error = failure(a100(), wrong);
  CHECK(error.what == "a call of cuDNN failed");
  CHECK(error.where == "backend cudnn, finishing a convolution's operation");
  CHECK(error.got.starts_with("CUDNN_STATUS_BAD_PARAM"));
}

TEST_CASE("T4: a format that the device does not compute is an error that says so") {
  const ErrorDetails error = failure(target("T4"), problem(ConvolutionKind::wgrad, DType::bf16));
  CHECK(error.what == "cuDNN has no plan for a convolution");
  CHECK(error.where == "backend cudnn on T4");
  CHECK(error.got == "wgrad x 1024,64,16,16 w 128,64,4,4 y 1024,128,8,8 stride 2 padding 1: no suggestion");
  CHECK(error.expected == "a plan that computes in bf16");
  CHECK(error.hint.find("precision.half") != std::string::npos);
}
