// SPDX-License-Identifier: Apache-2.0
// A step made of oneDNN primitives and loops of its own, run one after the other.
#pragma once

#include <dnnl.hpp>
#include <functional>

#include "step.hpp"

namespace halfling::cpu {

dnnl::engine& cpu_engine();
dnnl::memory::data_type dnnl_type(DType dtype);
/// Scratch that the caller gives, and products of what the operands hold: by itself oneDNN lets the
/// environment (ONEDNN_DEFAULT_FPMATH_MODE) round those of f32 to bf16 or TF32.
dnnl::primitive_attr strict_attributes();

class DnnlStep : public Step {
 public:
  explicit DnnlStep(const StepContext& context) : team_(context.team), emulate_(context.emulate) {}

  void run() override;
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  void use_scratch(std::byte* scratch) override;
  std::string implementation() const override { return implementation_; }

 protected:
  using Desc = dnnl::memory::desc;
  /// A pointer that is known once scratch is given.
  using Pointer = std::shared_ptr<std::byte*>;

  Pointer fixed(std::byte* address) const { return std::make_shared<std::byte*>(address); }
  Pointer scratch(std::size_t bytes);
  /// What lies `bytes` behind a pointer.
  Pointer moved(const Pointer& from, std::size_t bytes);
  /// Appends an action.
  void then(std::function<void()> action) { actions_.push_back(std::move(action)); }
  void then(const dnnl::primitive& primitive, const Desc& scratchpad,
            const std::vector<std::tuple<int, Desc, Pointer>>& arguments);
  /// The same bytes in another layout or format: itself where nothing is to be done.
  Pointer reordered(const Pointer& from, const Desc& have, const Desc& want);
  void reorder(const Pointer& from, const Desc& have, const Pointer& to, const Desc& want);
  void convert(const Pointer& from, DType have, const Pointer& to, DType want, std::int64_t elements);

  /// The format that oneDNN computes values of a format in: half formats that the processor lacks become f32.
  DType native(DType dtype) const;
  /// An operand in its native format, converted exactly.
  Pointer operand(std::byte* address, DType dtype, std::int64_t elements);
  /// Where to compute a result: its own place, or an f32 buffer that finish() rounds once.
  Pointer result(std::byte* address, DType dtype, std::int64_t elements);
  void finish(const Pointer& computed, std::byte* address, DType dtype, std::int64_t elements);

  const Team& team_;
  bool emulate_;
  std::string implementation_;

 private:
  struct Bound {
    dnnl::memory memory;
    Pointer pointer;
  };
  std::vector<std::function<void()>> actions_;
  std::vector<Bound> bound_;
  struct Moved {
    Pointer to, from;
    std::size_t bytes;
  };
  std::vector<std::pair<Pointer, std::size_t>> in_scratch_;
  std::vector<Moved> moved_;
  std::size_t scratch_bytes_ = 0;
};

/// Moves a primitive descriptor to its first implementation that is not a reference one; false: there is
/// none.
template <class Descriptor>
bool skip_reference(Descriptor& descriptor) {
  while (std::string(descriptor.impl_info_str()).find("ref") != std::string::npos)
    if (!descriptor.next_impl()) return false;
  return true;
}

StepPointer make_matmul_step(const StepContext& context, const Item& item);
StepPointer make_convolution_step(const StepContext& context, const Item& item);

}  // namespace halfling::cpu
