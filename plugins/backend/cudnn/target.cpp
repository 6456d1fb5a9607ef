// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

namespace halfling::cudnn {

Target Target::described(std::string name, std::string_view properties) {
  Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, std::span<const char>(properties));
  return {std::move(name), std::move(descriptor).finalized("the properties of a device")};
}

void Target::set_in_graph(Descriptor& graph) const {
  if (const auto* handle = std::get_if<cudnnHandle_t>(&device_))
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, *handle);
}

void Target::set_in_heuristics(Descriptor& heuristics) const {
  if (const auto* properties = std::get_if<Descriptor>(&device_))
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *properties);
}

void Target::set_in_plan(Descriptor& plan) const {
  if (const auto* handle = std::get_if<cudnnHandle_t>(&device_))
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, *handle);
  else
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, std::get<Descriptor>(device_));
}

}  // namespace halfling::cudnn
