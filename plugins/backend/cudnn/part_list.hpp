// SPDX-License-Identifier: Apache-2.0
// The list of tensors of parts.hpp, made on the host.
#pragma once

#include <vector>

#include "device_memory.hpp"
#include "parts.hpp"

namespace halfling::cudnn {

/// `Tensor` has the members `elements` and `first_block`.
template <class Tensor>
class PartList {
 public:
  explicit PartList(std::vector<Tensor> tensors) : count_(static_cast<int>(tensors.size())) {
    for (Tensor& tensor : tensors) {
      tensor.first_block = blocks_;
      blocks_ += (tensor.elements + part_elements - 1) / part_elements;
    }
    memory_ = DeviceBuffer(tensors.size() * sizeof(Tensor));
    upload(tensors.data(), memory_.data(), memory_.size());
  }
  const Tensor* tensors() const { return reinterpret_cast<const Tensor*>(memory_.data()); }
  int count() const { return count_; }
  std::int64_t blocks() const { return blocks_; }
  std::size_t device_bytes() const { return memory_.size(); }

 private:
  DeviceBuffer memory_;
  int count_;
  std::int64_t blocks_ = 0;
};

}  // namespace halfling::cudnn
