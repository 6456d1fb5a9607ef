// SPDX-License-Identifier: Apache-2.0
// What finalisation checks and computes, for each kind of descriptor.
#include <algorithm>

#include "cudnn_convolution.hpp"
#include "cudnn_descriptor.hpp"
#include "cudnn_engines.hpp"
#include "device.hpp"

namespace emulation {
namespace {

bool all_positive(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value > 0; });
}

cudnnStatus_t finalize_tensor(const Descriptor& tensor) {
  const auto extents = tensor.values<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = tensor.values<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  const auto alignment = tensor.value<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  if (!tensor.has(CUDNN_ATTR_TENSOR_UNIQUE_ID) || !tensor.has(CUDNN_ATTR_TENSOR_DATA_TYPE) || !alignment)
    return fail(CUDNN_STATUS_BAD_PARAM, "tensor lacks an attribute");
  if (extents.size() != 4 || strides.size() != 4 || !all_positive(extents) || !all_positive(strides))
    return fail(CUDNN_STATUS_BAD_PARAM, "tensor needs four positive extents and strides");
  if (*alignment < 1 || (*alignment & (*alignment - 1)) != 0)
    return fail(CUDNN_STATUS_BAD_PARAM, "alignment is no power of two");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_convolution(const Descriptor& c) {
  const auto before = c.values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  const auto strides = c.values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  if (c.value<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) != 2 || before.size() != 2 ||
      strides.size() != 2 || !all_positive(strides) || !c.has(CUDNN_ATTR_CONVOLUTION_COMP_TYPE))
    return fail(CUDNN_STATUS_BAD_PARAM, "convolution lacks an attribute");
  if (c.value<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) != CUDNN_CROSS_CORRELATION ||
      c.values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS) != std::vector<std::int64_t>{1, 1} ||
      c.values<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS) != before)
    return fail(CUDNN_STATUS_NOT_SUPPORTED,
                "only undilated cross-correlation with symmetric padding is emulated");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_operation(const Descriptor& operation) {
  Convolution convolution;
  const cudnnStatus_t status = read_operation(operation, convolution);
  // What no engine supports is found by the heuristics.
  return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED ? CUDNN_STATUS_SUCCESS : status;
}

DescriptorPtr describe(const Engine& engine, const DescriptorPtr& graph) {
  auto knob = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, true});
  knob->set<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
                                    {CUDNN_KNOB_TYPE_TILE_SIZE});
  knob->set<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, {5});
  auto described = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true});
  described->set<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, {engine.index});
  described->set(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, engine.numerical_notes);
  described->set(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, engine.behavior_notes);
  described->set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
  auto configuration = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true});
  configuration->set(CUDNN_ATTR_ENGINECFG_ENGINE, {described});
  configuration->set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, {knob});
  return configuration;
}

cudnnStatus_t finalize_heuristics(Descriptor& heuristics) {
  const Descriptor* graph = heuristics.descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const auto mode = heuristics.value<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  if (graph == nullptr || !mode) return fail(CUDNN_STATUS_BAD_PARAM, "heuristics lack an attribute");
  Convolution convolution;
  const cudnnStatus_t status = read_operation(*graph->descriptor(CUDNN_ATTR_OPERATIONGRAPH_OPS), convolution);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (convolution.type == DType::bf16 && !has_bf16_and_tf32())
    return fail(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, "the device has no bf16");
  const DescriptorPtr& shared =
      heuristics.attributes.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).descriptors[0];
  std::vector<DescriptorPtr> results;
  for (const Engine& engine : engines())
    if (engine.mode == *mode && engine.supports(convolution.type))
      results.push_back(describe(engine, shared));
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_RESULTS, std::move(results));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_plan(Descriptor& plan) {
  const Descriptor* configuration = plan.descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (configuration == nullptr || !plan.has(CUDNN_ATTR_EXECUTION_PLAN_HANDLE))
    return fail(CUDNN_STATUS_BAD_PARAM, "plan lacks its engine configuration or its handle");
  const Engine& engine = engine_of(plan);
  if (!engine.builds) return fail(CUDNN_STATUS_NOT_SUPPORTED, "the engine cannot do this");
  plan.set<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, {engine.workspace});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_pack(const Descriptor& pack) {
  if (!pack.has(CUDNN_ATTR_VARIANT_PACK_WORKSPACE) || !pack.has(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS) ||
      pack.values<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS).size() !=
          pack.values<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size())
    return fail(CUDNN_STATUS_BAD_PARAM, "variant pack needs a workspace, and a pointer for each id");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

const Engine& engine_of(const Descriptor& plan) {
  const auto index = plan.descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                         ->descriptor(CUDNN_ATTR_ENGINECFG_ENGINE)
                         ->value<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  return *std::find_if(engines().begin(), engines().end(),
                       [&](const Engine& engine) { return engine.index == *index; });
}

cudnnStatus_t finalize(Descriptor& descriptor) {
  switch (descriptor.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return finalize_tensor(descriptor);
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return finalize_convolution(descriptor);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return finalize_operation(descriptor);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return descriptor.descriptor(CUDNN_ATTR_OPERATIONGRAPH_OPS) != nullptr
                 ? CUDNN_STATUS_SUCCESS
                 : fail(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                        "only graphs of one operation are emulated");
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return finalize_heuristics(descriptor);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return finalize_plan(descriptor);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return finalize_pack(descriptor);
    default:
      return fail(CUDNN_STATUS_NOT_SUPPORTED, "this kind of descriptor is not emulated");
  }
}

}  // namespace emulation
