// SPDX-License-Identifier: Apache-2.0
// Checkpoints that are written beside training: it waits while the states are read, not for the disk.
#pragma once

#include <filesystem>
#include <future>
#include <optional>

#include "run/checkpoint.hpp"

namespace halfling {

/// Writes one checkpoint at a time, each on a thread of its own. Used by one thread.
class CheckpointWriter {
 public:
  /// As write_checkpoint.
  CheckpointWriter(std::filesystem::path folder, KeptCheckpoints keep);
  /// Waits for the checkpoint that is being written.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Takes a snapshot of the states, and begins to write it. The one before must have been asked for with
  /// `finish`.
  void begin(CheckpointLabel label, const std::vector<State>& states, const Session& session);
  /// The checkpoint that was begun, once it is complete: told once. Does not wait. Throws Error where it
  /// could not be written.
  std::optional<CheckpointWritten> written();
  /// The same, and waits.
  std::optional<CheckpointWritten> finish();

 private:
  std::filesystem::path folder_;
  KeptCheckpoints keep_;
  Snapshot snapshot_;  ///< while `writing_` is valid, the thread's
  std::future<CheckpointWritten> writing_;
};

}  // namespace halfling
