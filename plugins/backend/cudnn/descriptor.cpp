// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "halfling/error.hpp"

namespace halfling::cudnn {

void check_failed(cudnnStatus_t status, const char* attempt) {
  std::array<char, 1024> detail{};
  cudnnGetLastErrorString(detail.data(), detail.size());
  throw Error({.what = "a call of cuDNN failed",
               .where = fmt::format("backend cudnn, {}", attempt),
               .got = fmt::format("{} ({}): {}", cudnnGetErrorString(status), static_cast<int>(status),
                                  detail.data())});
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  check(cudnnBackendCreateDescriptor(type, &handle_), "cudnnBackendCreateDescriptor");
}

Descriptor::~Descriptor() {
  if (handle_ != nullptr) cudnnBackendDestroyDescriptor(handle_);
}

void Descriptor::set(Name name, cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
  const cudnnStatus_t status = cudnnBackendSetAttribute(handle_, name, type, count, values);
  if (status != CUDNN_STATUS_SUCCESS)
    check_failed(status, fmt::format("setting attribute {}", static_cast<int>(name)).c_str());
}

std::int64_t Descriptor::get(Name name, cudnnBackendAttributeType_t type, std::int64_t most,
                             void* values) const {
  std::int64_t count = 0;
  const cudnnStatus_t status = cudnnBackendGetAttribute(handle_, name, type, most, &count, values);
  if (status != CUDNN_STATUS_SUCCESS)
    check_failed(status, fmt::format("getting attribute {}", static_cast<int>(name)).c_str());
  return std::min(count, most);
}

std::vector<Descriptor> Descriptor::get_descriptors(Name name, cudnnBackendDescriptorType_t type,
                                                    std::int64_t most) const {
  // cuDNN copies its answers into descriptors that the caller has created.
  std::vector<Descriptor> found;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < most; ++i) handles.push_back(found.emplace_back(type).handle_);
  const std::int64_t count = get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, handles.data());
  while (static_cast<std::int64_t>(found.size()) > count) found.pop_back();
  return found;
}

Descriptor Descriptor::finalized(const char* what) && {
  const cudnnStatus_t status = finalize();
  if (status != CUDNN_STATUS_SUCCESS) check_failed(status, fmt::format("finishing {}", what).c_str());
  return std::move(*this);
}

}  // namespace halfling::cudnn
