// SPDX-License-Identifier: Apache-2.0
// Checkpoints: every state of a session in one safetensors file, and where the run stood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"

namespace halfling {

/// What a checkpoint says about itself, besides its tensors. No times: the same seed gives the same bytes.
struct CheckpointLabel {
  std::int64_t iteration = 0;        ///< iterations made; the next batch has this index
  std::int64_t epoch = 0;            ///< of the last batch
  std::string trial;                 ///< id
  BatchSpec spec;                    ///< so that samples can be drawn without the data set
  std::vector<std::string> classes;  ///< names
};

/// Writes <folder>/<iteration>.safetensors, complete or not at all, then removes all but the `keep` newest.
/// States are read one at a time, twice: first for the checksum that stands in the metadata.
void write_checkpoint(const std::filesystem::path& folder, std::int64_t keep, const CheckpointLabel& label,
                      const std::vector<State>& states, const Session& session);

/// The one with the most iterations; nullopt where there is none.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

/// Throws Error where the file is damaged or none of halfling's, with how to go on without it.
CheckpointLabel read_label(const std::filesystem::path& file);

/// Writes these states into the session. Throws Error where the data do not have their checksum, and naming
/// the first state that the file lacks or has in another format or shape.
void load_states(const std::filesystem::path& file, const std::vector<State>& states, Session& session);

}  // namespace halfling
