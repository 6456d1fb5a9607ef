// SPDX-License-Identifier: Apache-2.0
// The library's handle, its errors, and the execution of plans.
#include <cudnn.h>

#include <algorithm>
#include <cstdio>

#include "cudnn_convolution.hpp"
#include "cudnn_descriptor.hpp"
#include "cudnn_engines.hpp"
#include "handles.hpp"
#include "memory.hpp"
#include "streams.hpp"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace emulation {
namespace {

thread_local std::string last_text;
Handles<cudnnContext> contexts;

struct Pack {
  const Descriptor& descriptor;

  void* pointer(std::int64_t id) const {
    const auto ids = descriptor.values<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto found = std::find(ids.begin(), ids.end(), id);
    if (found == ids.end()) return nullptr;
    return descriptor.values<void*>(
        CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)[static_cast<std::size_t>(found - ids.begin())];
  }
  void* workspace() const {
    return descriptor.value<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE).value_or(nullptr);
  }
};

cudnnStatus_t check_pointer(const void* pointer, std::size_t bytes) {
  if (!on_device(pointer, bytes)) return fail(CUDNN_STATUS_BAD_PARAM, "a tensor does not lie on the device");
  if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0)
    return fail(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "a tensor is less aligned than was said");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_data(const Convolution& c, const ConvolutionData& data) {
  const std::size_t size = halfling::size_of(c.type);
  const std::pair<const Tensor&, void*> tensors[] = {
      {c.image, data.image}, {c.filter, data.filter}, {c.response, data.response}};
  for (const auto& [tensor, pointer] : tensors) {
    const cudnnStatus_t status = check_pointer(pointer, static_cast<std::size_t>(tensor.elements()) * size);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return CUDNN_STATUS_SUCCESS;
}

const Descriptor& operation_of(const Descriptor& plan) {
  return *plan.descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
              ->descriptor(CUDNN_ATTR_ENGINECFG_ENGINE)
              ->descriptor(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)
              ->descriptor(CUDNN_ATTR_OPERATIONGRAPH_OPS);
}

cudnnStatus_t execute(CUstream_st& stream, const Descriptor& plan, const Pack& pack) {
  const Engine& engine = engine_of(plan);
  if (!engine.runs)
    return fail(CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING,
                "there is no compiler for this engine");
  Convolution c;
  if (const auto status = read_operation(operation_of(plan), c); status != CUDNN_STATUS_SUCCESS)
    return status;
  const ConvolutionData data{pack.pointer(c.image.id), pack.pointer(c.filter.id),
                             pack.pointer(c.response.id)};
  if (const auto status = check_data(c, data); status != CUDNN_STATUS_SUCCESS) return status;
  const auto bytes = static_cast<std::size_t>(engine.workspace);
  void* workspace = pack.workspace();
  if (bytes != 0 && !on_device(workspace, bytes))
    return fail(CUDNN_STATUS_BAD_PARAM, "the workspace is too small or does not lie on the device");
  enqueue(stream, [c, arithmetic = engine.arithmetic, data, workspace, bytes] {
    if (bytes != 0)
      std::memset(workspace, 0xFF, bytes);  // whatever else lies there is lost before it is read
    compute(c, arithmetic, data);
  });
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t fail(cudnnStatus_t status, std::string text) {
  last_text = std::move(text);
  return status;
}

}  // namespace emulation

using namespace emulation;

extern "C" {

size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (CUDNN_STATUS_CATEGORY(status)) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    default:
      return "CUDNN_STATUS of the emulation unknown";
  }
}

void cudnnGetLastErrorString(char* message, size_t size) {
  std::snprintf(message, size, "%s", last_text.c_str());
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (refuse_while_capturing() != cudaSuccess)
    return fail(CUDNN_STATUS_NOT_INITIALIZED, "a stream is capturing");
  *handle = contexts.add(new cudnnContext);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return contexts.remove(handle) ? CUDNN_STATUS_SUCCESS : fail(CUDNN_STATUS_BAD_PARAM, "no such handle");
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (!contexts.contains(handle) || find_stream(stream) == nullptr)
    return fail(CUDNN_STATUS_BAD_PARAM, "no such handle or stream");
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan_handle,
                                  cudnnBackendDescriptor_t pack_handle) {
  const Descriptor *plan = find_descriptor(plan_handle), *pack = find_descriptor(pack_handle);
  if (!contexts.contains(handle) || plan == nullptr || pack == nullptr)
    return fail(CUDNN_STATUS_BAD_PARAM, "no such handle or descriptor");
  if (plan->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
      pack->type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
    return fail(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "not a plan and a variant pack");
  if (!plan->finalized || !pack->finalized)
    return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "plan or variant pack is not finalized");
  CUstream_st* stream = find_stream(handle->stream);
  if (stream == nullptr) return fail(CUDNN_STATUS_BAD_PARAM, "the handle's stream was destroyed");
  return execute(*stream, *plan, {*pack});
}

}  // extern "C"
