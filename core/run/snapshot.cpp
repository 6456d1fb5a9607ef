// SPDX-License-Identifier: Apache-2.0
#include "run/snapshot.hpp"

#include <algorithm>
#include <stdexcept>

namespace halfling {
namespace {

TensorInfo tensor_of(const State& state) {
  TensorInfo tensor{state.name, stored_type(state.dtype), {}};
  for (int axis = 0; axis < state.shape.rank(); ++axis) tensor.shape.push_back(state.shape[axis]);
  return tensor;
}

}  // namespace

void Snapshot::read(CheckpointLabel label, const std::vector<State>& states, const Session& session) {
  label_ = std::move(label);
  tensors_.clear();
  for (const State& state : states) tensors_.push_back(tensor_of(state));
  std::ranges::sort(tensors_, {}, &TensorInfo::name);
  offsets_ = {0};
  for (const TensorInfo& tensor : tensors_) offsets_.push_back(offsets_.back() + tensor.bytes());
  data_.resize(offsets_.back());
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    session.read_state(tensors_[i].name,
                       std::span(data_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]));
}

std::span<const std::byte> Snapshot::bytes(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &TensorInfo::name);
  if (found == tensors_.end() || found->name != name)
    throw std::logic_error("the snapshot has no tensor " + std::string(name));
  const auto i = static_cast<std::size_t>(found - tensors_.begin());
  return std::span(data_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
}

std::uint64_t Snapshot::size_of(const std::vector<State>& states) {
  std::uint64_t bytes = 0;
  for (const State& state : states) bytes += tensor_of(state).bytes();
  return bytes;
}

}  // namespace halfling
