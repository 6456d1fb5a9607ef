// SPDX-License-Identifier: Apache-2.0
// Plans that run: the three convolutions in every precision, captured too, and the choice by time. Operands
// are small integers, so that every engine that computes what it promises is exact.
#include "cudnn/convolution_plan.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "cudnn/device_buffer.hpp"

using namespace halfling;
using namespace halfling::cudnn;

namespace {

ConvolutionProblem small(ConvolutionKind kind, DType data, DType compute) {
  return {.kind = kind,
          .n = 2,
          .c = 8,
          .h = 6,
          .w = 5,
          .k = 16,
          .p = 3,
          .q = 2,
          .r = 4,
          .s = 4,
          .stride = 2,
          .padding = 1,
          .data = data,
          .compute = compute};
}

using Values = std::vector<double>;

/// The three tensors, channels last, as numbers.
struct Tensors {
  Values x, w, y;

  explicit Tensors(const ConvolutionProblem& b)
      : x(integers(b.n * b.h * b.w * b.c, 7)),
        w(integers(b.k * b.r * b.s * b.c, 5)),
        y(integers(b.n * b.p * b.q * b.k, 3)) {}
  static Values integers(std::int64_t count, std::int64_t modulus) {
    Values values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<double>(i * i % modulus - modulus / 2));
    return values;
  }
  Values& result(ConvolutionKind kind) {
    return kind == ConvolutionKind::fprop ? y : kind == ConvolutionKind::dgrad ? x : w;
  }
};

/// Computes the result from the other two, straight from the definition.
void convolve(const ConvolutionProblem& b, Tensors& t) {
  Values& result = t.result(b.kind);
  result.assign(result.size(), 0);
  for (std::int64_t n = 0; n < b.n; ++n)
    for (std::int64_t p = 0; p < b.p; ++p)
      for (std::int64_t q = 0; q < b.q; ++q)
        for (std::int64_t r = 0; r < b.r; ++r)
          for (std::int64_t s = 0; s < b.s; ++s) {
            const std::int64_t h = p * b.stride - b.padding + r, w = q * b.stride - b.padding + s;
            if (h < 0 || h >= b.h || w < 0 || w >= b.w) continue;
            for (std::int64_t k = 0; k < b.k; ++k)
              for (std::int64_t c = 0; c < b.c; ++c) {
                double& x = t.x[static_cast<std::size_t>(((n * b.h + h) * b.w + w) * b.c + c)];
                double& f = t.w[static_cast<std::size_t>(((k * b.r + r) * b.s + s) * b.c + c)];
                double& y = t.y[static_cast<std::size_t>(((n * b.p + p) * b.q + q) * b.k + k)];
                if (b.kind == ConvolutionKind::fprop) y += x * f;
                if (b.kind == ConvolutionKind::dgrad) x += y * f;
                if (b.kind == ConvolutionKind::wgrad) f += x * y;
              }
          }
}

DeviceBuffer uploaded(const Values& values, DType type) {
  std::vector<std::byte> bytes(values.size() * size_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    const std::uint16_t half = type == DType::f16 ? f16_bits(value) : bf16_bits(value);
    std::memcpy(bytes.data() + i * size_of(type), is_half(type) ? static_cast<const void*>(&half) : &value,
                size_of(type));
  }
  DeviceBuffer buffer(bytes.size());
  check(cudaMemcpy(buffer.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  return buffer;
}

Values fetched(const DeviceBuffer& buffer, DType type) {
  std::vector<std::byte> bytes(buffer.size());
  check(cudaMemcpy(bytes.data(), buffer.data(), bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  Values values(bytes.size() / size_of(type));
  with_storage(type, [&]<class Storage>(Storage) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      typename Storage::Element element;
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      values[i] = Storage::value(element);
    }
  });
  return values;
}

/// A library on a stream, and the tensors of a problem on its device.
struct Bench {
  explicit Bench(const ConvolutionProblem& problem)
      : problem(problem),
        tensors(problem),
        x(uploaded(tensors.x, problem.data)),
        w(uploaded(tensors.w, problem.data)),
        y(uploaded(tensors.y, problem.data)) {
    check(cudnnCreate(&handle), "cudnnCreate");
    check(cudnnSetStream(handle, stream.get()), "cudnnSetStream");
    convolve(problem, tensors);
  }
  ~Bench() { cudnnDestroy(handle); }
  Bench(const Bench&) = delete;

  ConvolutionPlan bound(const PlanOptions& options) {
    ConvolutionPlan plan = choose_plan({"a GPU", handle}, problem, options);
    workspace = DeviceBuffer(plan.largest_workspace());
    plan.bind({x.data(), w.data(), y.data()}, workspace.data());
    return plan;
  }
  void check_result() {
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    const ConvolutionKind kind = problem.kind;
    const DeviceBuffer& result = kind == ConvolutionKind::fprop ? y : kind == ConvolutionKind::dgrad ? x : w;
    CHECK(fetched(result, problem.data) == tensors.result(kind));
  }

  ConvolutionProblem problem;
  Tensors tensors;
  Stream stream = make_stream();
  cudnnHandle_t handle = nullptr;
  DeviceBuffer x, w, y, workspace;
};

}  // namespace

TEST_CASE("a plan computes its convolution") {
  for (const auto kind : {ConvolutionKind::fprop, ConvolutionKind::dgrad, ConvolutionKind::wgrad})
    for (const auto& [data, compute] :
         {std::pair{DType::f32, DType::f32}, std::pair{DType::f32, DType::tf32},
          std::pair{DType::f16, DType::f32}, std::pair{DType::bf16, DType::f32}}) {
      Bench bench(small(kind, data, compute));
      CAPTURE(mode_of(bench.problem));
      CAPTURE(text(bench.problem));
      const ConvolutionPlan plan = bench.bound({});
      plan.execute(bench.handle);
      bench.check_result();
    }
}

TEST_CASE("a plan can be captured and replayed") {
  Bench bench(small(ConvolutionKind::dgrad, DType::f16, DType::f32));
  const ConvolutionPlan plan = bench.bound({});
  check(cudaStreamBeginCapture(bench.stream.get(), cudaStreamCaptureModeThreadLocal), "begin");
  plan.execute(bench.handle);
  cudaGraph_t recorded = nullptr;
  check(cudaStreamEndCapture(bench.stream.get(), &recorded), "end");
  const CudaGraph graph(recorded);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, recorded, 0), "instantiate");
  const CudaGraphExec owned(executable);
  check(cudaGraphLaunch(executable, bench.stream.get()), "launch");
  bench.check_result();
}

TEST_CASE("timing puts a plan first that runs, and drops those that do not") {
  Bench bench(small(ConvolutionKind::wgrad, DType::f32, DType::f32));
  PlanOptions options;
  options.runtime_compilation = true;  // the emulation has nothing to compile with
  ConvolutionPlan plan = bench.bound(options);
  const std::size_t before = plan.candidates().size();
  CHECK(plan.chosen().notes == std::vector<std::string>{"RUNTIME_COMPILATION"});
  plan.autotune(bench.handle, bench.stream.get());
  CHECK(plan.dropped().at("does not start: CUDNN_STATUS_NOT_SUPPORTED") == 1);
  CHECK(plan.candidates().size() == before - 1);
  for (std::size_t i = 0; i < plan.candidates().size(); ++i) {
    REQUIRE(plan.candidates()[i].seconds);
    if (i > 0) CHECK(*plan.candidates()[i - 1].seconds <= *plan.candidates()[i].seconds);
  }
  CHECK(plan.record().find(" us; ") != std::string::npos);
  plan.execute(bench.handle);
  bench.check_result();
}

TEST_CASE("where no plan runs, the error says why") {
  Bench bench(small(ConvolutionKind::wgrad, DType::f32, DType::f32));
  PlanOptions options;
  options.runtime_compilation = true;
  options.candidates = 1;
  ConvolutionPlan plan = bench.bound(options);
  ErrorDetails details;
  try {
    plan.autotune(bench.handle, bench.stream.get());
  } catch (const Error& error) {
    details = error.details();
  }
  CHECK(details.what == "none of cuDNN's plans for a convolution runs");
  CHECK(details.got.ends_with(": the last does not start: CUDNN_STATUS_NOT_SUPPORTED"));
}
