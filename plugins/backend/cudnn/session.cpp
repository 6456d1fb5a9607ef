// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "descriptor.hpp"
#include "executable.hpp"
#include "halfling/error.hpp"
#include "program/layout.hpp"
#include "refusal.hpp"

namespace halfling::cudnn {
namespace {

constexpr std::size_t blas_bytes = std::size_t{32} << 20;  // what cuBLAS recommends for Hopper

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error({.what = "cuBLAS failed",
               .where = fmt::format("backend cudnn, {}", call),
               .got = fmt::format("{}: {}", cublasGetStatusName(status), cublasGetStatusString(status))});
}

std::unique_ptr<Session> open(const Gpu& gpu, const Settings& settings) {
  return std::make_unique<CudnnSession>(gpu, settings);
}

std::string versions() {
  const std::size_t cudnn = cudnnGetVersion();
  return fmt::format("CUDA {}.{}, cuDNN {}.{}.{}, cuBLAS {}.{}", CUDART_VERSION / 1000,
                     CUDART_VERSION % 1000 / 10, cudnn / 10000, cudnn / 100 % 100, cudnn % 100,
                     CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR);
}

}  // namespace

CudnnSession::CudnnSession(const Gpu& gpu, const Settings& settings) : gpu_(gpu), settings_(settings) {
  check(cudaSetDevice(gpu.ordinal), "cudaSetDevice");
  begin_peak();
  compute_ = make_stream();
  uploads_ = make_stream();
  blas_workspace_ = DeviceBuffer(blas_bytes);
  libraries_.stream = compute_.get();
  libraries_.device = gpu.device.name;
  libraries_.multiprocessors = gpu.multiprocessors;
  libraries_.workspace_limit = settings.workspace;
  libraries_.nondeterministic = settings.nondeterministic;
  libraries_.runtime_compiled = settings.runtime_compiled;
  libraries_.timed = settings.timed;
  libraries_.timings = &timings_;
  check(cudnnCreate(&libraries_.dnn), "cudnnCreate");
  check(cudnnSetStream(libraries_.dnn, compute_.get()), "cudnnSetStream");
  check(cublasCreate(&libraries_.blas), "cublasCreate");
  check(cublasSetStream(libraries_.blas, compute_.get()), "cublasSetStream");
  // A workspace of one's own is what makes cuBLAS deterministic, and what a captured graph needs.
  check(cublasSetWorkspace(libraries_.blas, blas_workspace_.data(), blas_bytes), "cublasSetWorkspace");
  check(cublasSetMathMode(libraries_.blas,
                          static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                                    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "cublasSetMathMode");
}

CudnnSession::~CudnnSession() {
  ignore(cudaStreamSynchronize(compute_.get()));
  if (libraries_.blas != nullptr) static_cast<void>(cublasDestroy(libraries_.blas));
  if (libraries_.dnn != nullptr) static_cast<void>(cudnnDestroy(libraries_.dnn));
}

std::unique_ptr<Executable> CudnnSession::compile(const Graph& graph) {
  check_nodes("cudnn", graph, refusal_of);
  const PaddedGraph padded = pad(graph, layouts_);
  StateLookup states = states_.declare(padded.graph);
  for (const StateLayout& state : padded.states)
    if (std::ranges::find(layouts_, state.name, &StateLayout::name) == layouts_.end())
      layouts_.push_back(state);
  return make_executable(padded.graph, std::move(states),
                         {libraries_, uploads_.get(), memory_, settings_.capture, blas_bytes});
}

const StateLayout& CudnnSession::layout(std::string_view name) const {
  states_.find(name);  // throws for an unknown one
  return *std::ranges::find(layouts_, name, &StateLayout::name);
}

void CudnnSession::write_state(std::string_view name, std::span<const std::byte> data) {
  const StateLayout& state = layout(name);
  StateMemory& memory = states_.find(name);
  written(memory);
  std::vector<std::byte> padded(memory.block.bytes()), physical(padded.size());
  pad_state(state, data, padded);
  to_physical(state.padded, size_of(state.dtype), padded.data(), physical.data());
  check(cudaStreamSynchronize(compute_.get()), "cudaStreamSynchronize");
  memory_.upload(physical.data(), memory.block.data(), physical.size());
}

void CudnnSession::read_state(std::string_view name, std::span<std::byte> data) const {
  const StateLayout& state = layout(name);
  const StateMemory& memory = states_.find(name);
  std::vector<std::byte> physical(memory.block.bytes()), padded(physical.size());
  check(cudaStreamSynchronize(compute_.get()), "cudaStreamSynchronize");
  check(cudaMemcpy(physical.data(), memory.block.data(), physical.size(), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  to_logical(state.padded, size_of(state.dtype), physical.data(), padded.data());
  unpad_state(state, padded, data);
}

}  // namespace halfling::cudnn

extern "C" HALFLING_API constinit const halfling::cudnn::GpuLibrary halfling_cudnn_library = {
    halfling::cudnn::open, halfling::cudnn::versions};
