// SPDX-License-Identifier: Apache-2.0
// Weights that a new run begins with, out of a checkpoint of another one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "halfling/backend.hpp"

namespace halfling {

struct InitialWeights {
  std::filesystem::path file;
  std::vector<std::string> taken;
  std::vector<std::string> missing;    ///< of the new run, which the file has not: they begin at random
  std::vector<std::string> different;  ///< in format or shape: "g.fc1.weight f32 [64, 110], here [64, 103]"

  /// "12 of 14 weights are taken from FILE; not in it: …; of another shape: …", a few names each.
  std::string text() const;
};

/// Writes the parameters, statistics and averages that a checkpoint has by the same name, format and shape
/// into the session; an average that it lacks begins as what it is the average of. Everything else (moments,
/// loss scales, counters) begins anew. `from`: a checkpoint, or a run folder, whose newest one is taken.
/// Throws Error where there is none, it is damaged, or nothing in it fits.
InitialWeights take_initial_weights(const std::filesystem::path& from, const std::vector<State>& states,
                                    Session& session);

/// initial_weights.json in a run folder.
void write_initial_weights(const std::filesystem::path& file, const InitialWeights& weights);

}  // namespace halfling
