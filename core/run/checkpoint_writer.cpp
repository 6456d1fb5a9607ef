// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint_writer.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace halfling {

CheckpointWriter::CheckpointWriter(std::filesystem::path folder, KeptCheckpoints keep)
    : folder_(std::move(folder)), keep_(std::move(keep)) {}

CheckpointWriter::~CheckpointWriter() {
  if (writing_.valid()) writing_.wait();
}

void CheckpointWriter::begin(CheckpointLabel label, const std::vector<State>& states,
                             const Session& session) {
  if (writing_.valid()) throw std::logic_error("the checkpoint before is still being written");
  snapshot_.read(std::move(label), states, session);
  writing_ = std::async(std::launch::async, [this] { return write_checkpoint(folder_, keep_, snapshot_); });
}

std::optional<CheckpointWritten> CheckpointWriter::written() {
  const bool complete =
      writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return complete ? finish() : std::nullopt;
}

std::optional<CheckpointWritten> CheckpointWriter::finish() {
  if (!writing_.valid()) return std::nullopt;
  return writing_.get();
}

}  // namespace halfling
