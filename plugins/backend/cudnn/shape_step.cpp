// SPDX-License-Identifier: Apache-2.0
// Steps that only move: reshapes across the layout, concat, slice, one_hot and copies.
#include "device_memory.hpp"
#include "shape_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class MoveStep final : public Step {
 public:
  MoveStep(const StepContext& context, const Item& item) : move_(move_of(context, item)) {
    const auto* rows = std::get_if<Rows>(&move_);
    if (rows == nullptr) return;
    parts_ = DeviceBuffer(rows->parts.size() * sizeof(RowPart));
    upload(rows->parts.data(), parts_.data(), parts_.size());
  }
  std::string implementation() const override { return "move"; }
  std::size_t device_bytes() const override { return parts_.size(); }
  std::size_t scratch_bytes() const override { return program::scratch_bytes(move_); }
  void use_scratch(std::byte* scratch) override { program::use_scratch(move_, scratch); }
  void run(cudaStream_t stream) override {
    std::visit([&](const auto& move) { queue(stream, move); }, move_);
  }

 private:
  void queue(cudaStream_t stream, const Copy& copy) const {
    check(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  }
  void queue(cudaStream_t stream, const Permutation& permutation) const {
    for (const Transposition& pass : permutation.passes) launch_transpose(stream, pass);
  }
  void queue(cudaStream_t stream, const Rows& rows) const {
    launch_rows(stream, rows, reinterpret_cast<const RowPart*>(parts_.data()));
  }
  void queue(cudaStream_t stream, const OneHot& one_hot) const { launch_one_hot(stream, one_hot); }

  Move move_;
  DeviceBuffer parts_;  ///< of rows
};

}  // namespace

StepPointer make_shape_step(const StepContext& context, const Item& item) {
  return std::make_unique<MoveStep>(context, item);
}

}  // namespace halfling::cudnn
