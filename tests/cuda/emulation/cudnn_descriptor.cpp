// SPDX-License-Identifier: Apache-2.0
#include "cudnn_descriptor.hpp"

#include <algorithm>

#include "handles.hpp"

namespace emulation {
namespace {

/// What the plugin holds. Descriptors that another one was given live on in it.
struct Holder {
  std::shared_ptr<Descriptor> content;
};
Handles<Holder> holders;

Holder* find(cudnnBackendDescriptor_t handle) {
  auto* holder = static_cast<Holder*>(handle);
  return holders.contains(holder) ? holder : nullptr;
}

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
      return sizeof(std::int64_t);
    case CUDNN_TYPE_FLOAT:
      return sizeof(float);
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
      return sizeof(void*);
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_HEUR_MODE:
    case CUDNN_TYPE_KNOB_TYPE:
    case CUDNN_TYPE_NUMERICAL_NOTE:
    case CUDNN_TYPE_BEHAVIOR_NOTE:
      return sizeof(cudnnDataType_t);
    default:
      return 0;  // not emulated
  }
}

cudnnBackendAttributeType_t type_of(cudnnBackendAttributeName_t name) {
  switch (name) {
    case CUDNN_ATTR_TENSOR_DATA_TYPE:
    case CUDNN_ATTR_CONVOLUTION_COMP_TYPE:
      return CUDNN_TYPE_DATA_TYPE;
    case CUDNN_ATTR_CONVOLUTION_CONV_MODE:
      return CUDNN_TYPE_CONVOLUTION_MODE;
    case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA:
      return CUDNN_TYPE_FLOAT;
    case CUDNN_ATTR_OPERATIONGRAPH_HANDLE:
    case CUDNN_ATTR_EXECUTION_PLAN_HANDLE:
      return CUDNN_TYPE_HANDLE;
    case CUDNN_ATTR_ENGINEHEUR_MODE:
      return CUDNN_TYPE_HEUR_MODE;
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE:
      return CUDNN_TYPE_KNOB_TYPE;
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      return CUDNN_TYPE_NUMERICAL_NOTE;
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
      return CUDNN_TYPE_BEHAVIOR_NOTE;
    case CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS:
    case CUDNN_ATTR_VARIANT_PACK_WORKSPACE:
      return CUDNN_TYPE_VOID_PTR;
    case CUDNN_ATTR_TENSOR_UNIQUE_ID:
    case CUDNN_ATTR_TENSOR_DIMENSIONS:
    case CUDNN_ATTR_TENSOR_STRIDES:
    case CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT:
    case CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS:
    case CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS:
    case CUDNN_ATTR_CONVOLUTION_POST_PADDINGS:
    case CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES:
    case CUDNN_ATTR_CONVOLUTION_DILATIONS:
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE:
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS:
      return CUDNN_TYPE_INT64;
    default:
      return CUDNN_TYPE_BACKEND_DESCRIPTOR;
  }
}

cudnnStatus_t set_descriptors(Descriptor& descriptor, cudnnBackendAttributeName_t name, std::int64_t count,
                              const void* elements) {
  std::vector<DescriptorPtr> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const Holder* holder = find(static_cast<const cudnnBackendDescriptor_t*>(elements)[i]);
    if (holder == nullptr) return fail(CUDNN_STATUS_BAD_PARAM, "attribute is no descriptor");
    if (!holder->content->finalized)
      return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "attribute is not finalized");
    all.push_back(holder->content);
  }
  descriptor.set(name, std::move(all));
  return CUDNN_STATUS_SUCCESS;
}

/// Into descriptors that the caller made beforehand.
cudnnStatus_t get_descriptors(const Attribute& attribute, std::int64_t count, void* elements) {
  for (std::int64_t i = 0; i < count; ++i) {
    Holder* holder = find(static_cast<cudnnBackendDescriptor_t*>(elements)[i]);
    const auto& content = attribute.descriptors[static_cast<std::size_t>(i)];
    if (holder == nullptr || holder->content->type != content->type)
      return fail(CUDNN_STATUS_BAD_PARAM, "target is no descriptor of the attribute's type");
    holder->content = std::make_shared<Descriptor>(*content);
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

const Descriptor* find_descriptor(cudnnBackendDescriptor_t handle) {
  const Holder* holder = find(handle);
  return holder == nullptr ? nullptr : holder->content.get();
}

}  // namespace emulation

using namespace emulation;

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* handle) {
  *handle = holders.add(new Holder{std::make_shared<Descriptor>(Descriptor{type})});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  if (!holders.remove(static_cast<Holder*>(handle)))
    return fail(CUDNN_STATUS_BAD_PARAM, "no such descriptor");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  Holder* holder = find(handle);
  if (holder == nullptr) return fail(CUDNN_STATUS_BAD_PARAM, "no such descriptor");
  if (holder->content->finalized) return fail(CUDNN_STATUS_BAD_PARAM, "the descriptor is finalized");
  if (type != type_of(name)) return fail(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "wrong type of attribute");
  if (elements == nullptr || count < 1)
    return fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "attribute without values");
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return set_descriptors(*holder->content, name, count, elements);
  const auto* bytes = static_cast<const std::byte*>(elements);
  const auto size = static_cast<std::size_t>(count) * size_of(type);
  holder->content->attributes[name] = {type, count, {bytes, bytes + size}, {}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const handle,
                                       cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                       int64_t requested, int64_t* count, void* elements) {
  const Descriptor* descriptor = find_descriptor(handle);
  if (descriptor == nullptr) return fail(CUDNN_STATUS_BAD_PARAM, "no such descriptor");
  if (!descriptor->finalized)
    return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "the descriptor is not finalized");
  if (type != type_of(name)) return fail(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "wrong type of attribute");
  const auto found = descriptor->attributes.find(name);
  if (found == descriptor->attributes.end()) return fail(CUDNN_STATUS_NOT_SUPPORTED, "no such attribute");
  const Attribute& attribute = found->second;
  if (count != nullptr) *count = attribute.count;
  const auto copied = std::min(requested, attribute.count);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return get_descriptors(attribute, copied, elements);
  if (copied > 0)
    std::memcpy(elements, attribute.bytes.data(), static_cast<std::size_t>(copied) * size_of(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  Holder* holder = find(handle);
  if (holder == nullptr) return fail(CUDNN_STATUS_BAD_PARAM, "no such descriptor");
  const cudnnStatus_t status = finalize(*holder->content);
  if (status == CUDNN_STATUS_SUCCESS) holder->content->finalized = true;
  return status;
}

}  // extern "C"
