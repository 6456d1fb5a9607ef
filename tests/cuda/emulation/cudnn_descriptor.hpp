// SPDX-License-Identifier: Apache-2.0
// Descriptors of cuDNN's graph API: attributes by name, checked once by finalisation and constant from then
// on.
#pragma once

#include <cudnn.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace emulation {

struct Descriptor;
using DescriptorPtr = std::shared_ptr<const Descriptor>;

struct Attribute {
  cudnnBackendAttributeType_t type;
  std::int64_t count;
  std::vector<std::byte> bytes;            // of values
  std::vector<DescriptorPtr> descriptors;  // where the type is CUDNN_TYPE_BACKEND_DESCRIPTOR
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool finalized = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes{};

  bool has(cudnnBackendAttributeName_t name) const { return attributes.contains(name); }
  template <class T>
  std::vector<T> values(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return {};
    std::vector<T> result(static_cast<std::size_t>(found->second.count));
    std::memcpy(result.data(), found->second.bytes.data(), found->second.bytes.size());
    return result;
  }
  /// The attribute's only value; nothing where there is none or more than one.
  template <class T>
  std::optional<T> value(cudnnBackendAttributeName_t name) const {
    const auto all = values<T>(name);
    return all.size() == 1 ? std::optional(all[0]) : std::nullopt;
  }
  /// The attribute's only descriptor, or null.
  const Descriptor* descriptor(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    return found != attributes.end() && found->second.descriptors.size() == 1
               ? found->second.descriptors[0].get()
               : nullptr;
  }
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t attribute_type,
           const std::vector<T>& all) {
    const auto bytes = std::as_bytes(std::span(all));
    attributes[name] = {
        attribute_type, static_cast<std::int64_t>(all.size()), {bytes.begin(), bytes.end()}, {}};
  }
  void set(cudnnBackendAttributeName_t name, std::vector<DescriptorPtr> all) {
    attributes[name] = {
        CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(all.size()), {}, std::move(all)};
  }
};

/// Keeps the text for cudnnGetLastErrorString.
cudnnStatus_t fail(cudnnStatus_t status, std::string text);

/// Null where the handle is none of a descriptor.
const Descriptor* find_descriptor(cudnnBackendDescriptor_t handle);

/// The checks of each kind of descriptor, and what finalisation computes; cudnn_finalize.cpp.
cudnnStatus_t finalize(Descriptor& descriptor);

}  // namespace emulation
