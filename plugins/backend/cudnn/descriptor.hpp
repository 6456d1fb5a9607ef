// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph API: checked calls, and the descriptors that everything in it is made of.
//
//   Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
//   tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_HALF);
//   …
//   const Descriptor finished = std::move(tensor).finalized("a tensor");
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halfling::cudnn {

/// Throws Error with what was attempted, the status and cuDNN's own account of its last error.
[[noreturn]] void check_failed(cudnnStatus_t status, const char* attempt);
inline void check(cudnnStatus_t status, const char* attempt) {
  if (status != CUDNN_STATUS_SUCCESS) check_failed(status, attempt);
}

/// How cuDNN names the types of attributes.
template <class T>
inline constexpr cudnnBackendAttributeType_t attribute_type = T::no_attribute_of_this_type;
template <>
inline constexpr auto attribute_type<std::int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr auto attribute_type<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr auto attribute_type<char> = CUDNN_TYPE_CHAR;
template <>
inline constexpr auto attribute_type<void*> = CUDNN_TYPE_VOID_PTR;
template <>
inline constexpr auto attribute_type<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto attribute_type<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto attribute_type<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendKnobType_t> = CUDNN_TYPE_KNOB_TYPE;
template <>
inline constexpr auto attribute_type<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
template <>
inline constexpr auto attribute_type<cudnnBackendBehaviorNote_t> = CUDNN_TYPE_BEHAVIOR_NOTE;

/// Owns a backend descriptor. What it was set in must not be used once it is gone.
class Descriptor {
 public:
  using Name = cudnnBackendAttributeName_t;

  explicit Descriptor(cudnnBackendDescriptorType_t type);
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Descriptor();

  template <class T>
  void set(Name name, std::span<const T> values) {
    set(name, attribute_type<T>, static_cast<std::int64_t>(values.size()), values.data());
  }
  template <class T>
  void set(Name name, const T& value) {
    set(name, std::span<const T>(&value, 1));
  }
  void set(Name name, const Descriptor& value) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.handle_);
  }

  /// As many values as there are, but no more than `most`.
  template <class T>
  std::vector<T> get(Name name, std::int64_t most) const {
    std::vector<T> values(static_cast<std::size_t>(most));
    values.resize(static_cast<std::size_t>(get(name, attribute_type<T>, most, values.data())));
    return values;
  }
  template <class T>
  T get(Name name) const {
    T value{};
    get(name, attribute_type<T>, 1, &value);
    return value;
  }
  /// As many descriptors as there are, but no more than `most`; all of this type.
  std::vector<Descriptor> get_descriptors(Name name, cudnnBackendDescriptorType_t type,
                                          std::int64_t most) const;

  /// For descriptors that may turn out to be unsupported.
  [[nodiscard]] cudnnStatus_t finalize() { return cudnnBackendFinalize(handle_); }
  /// Throws Error that says that `what` could not be finished.
  Descriptor finalized(const char* what) &&;

  cudnnBackendDescriptor_t get() const { return handle_; }

 private:
  void set(Name name, cudnnBackendAttributeType_t type, std::int64_t count, const void* values);
  std::int64_t get(Name name, cudnnBackendAttributeType_t type, std::int64_t most, void* values) const;

  cudnnBackendDescriptor_t handle_ = nullptr;
};

}  // namespace halfling::cudnn
