// SPDX-License-Identifier: Apache-2.0
// Checkpoints: every state of a session in one safetensors file, and where the run stood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "halfling/reporter.hpp"
#include "run/snapshot.hpp"

namespace halfling {

/// Which checkpoints of a folder stay.
struct KeptCheckpoints {
  std::int64_t newest = 1;
  std::vector<std::int64_t> milestones{};  ///< iterations whose checkpoints stay besides
};

/// Writes <folder>/<iteration>.safetensors, complete or not at all, then removes those that are not to stay.
/// A folder that is missing is made again. Any thread may call it.
CheckpointWritten write_checkpoint(const std::filesystem::path& folder, const KeptCheckpoints& keep,
                                   const Snapshot& snapshot);

/// All that are kept, by iteration. Throws Error where the folder is there and cannot be listed.
std::map<std::int64_t, std::filesystem::path> kept_checkpoints(const std::filesystem::path& folder);
/// The one with the most iterations; nullopt where there is none. Throws Error where the folder is there and
/// cannot be listed.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

/// Throws Error where the file is damaged or none of halfling's, with how to go on without it.
CheckpointLabel read_label(const std::filesystem::path& file);

struct CheckpointContents {
  CheckpointLabel label;
  std::vector<TensorInfo> tensors;  ///< by name
  bool checksum = false;            ///< of its data; older versions wrote none
};

/// All but the data, which are compared with their checksum. Throws Error where the file is damaged or none
/// of halfling's.
CheckpointContents read_contents(const std::filesystem::path& file);

/// Writes these states into the session. Throws Error where the data do not have their checksum, and naming
/// the first state that the file lacks or has in another format or shape.
void load_states(const std::filesystem::path& file, const std::vector<State>& states, Session& session);

}  // namespace halfling
