// SPDX-License-Identifier: Apache-2.0
// Every state of a session at one moment, in host memory: a checkpoint can be written from it while training
// goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "run/safetensors.hpp"

namespace halfling {

/// What a checkpoint says about itself, besides its tensors. No times: the same seed gives the same bytes.
struct CheckpointLabel {
  std::int64_t iteration = 0;        ///< iterations made; the next batch has this index
  std::int64_t epoch = 0;            ///< of the last batch
  std::string trial;                 ///< id
  BatchSpec spec;                    ///< so that samples can be drawn without the data set
  std::vector<std::string> classes;  ///< names
};

/// A value of its own: shares nothing with the session that it was read from.
class Snapshot {
 public:
  /// Reads each state once. What was held is given up, and its memory used again: the states of one run
  /// allocate once.
  void read(CheckpointLabel label, const std::vector<State>& states, const Session& session);

  const CheckpointLabel& label() const { return label_; }
  /// Sorted by name.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  /// Of one of the tensors. Throws std::logic_error for another name.
  std::span<const std::byte> bytes(std::string_view name) const;
  std::uint64_t size() const { return data_.size(); }  ///< bytes

  /// What a snapshot of these states takes, bytes.
  static std::uint64_t size_of(const std::vector<State>& states);

 private:
  CheckpointLabel label_;
  std::vector<TensorInfo> tensors_;
  std::vector<std::size_t> offsets_;  ///< of each tensor in data_, and the end
  std::vector<std::byte> data_;
};

}  // namespace halfling
