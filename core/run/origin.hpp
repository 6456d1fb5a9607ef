// SPDX-License-Identifier: Apache-2.0
// What ran, where each of its values came from, and on what: the first files of a run folder.
#pragma once

#include <string>
#include <vector>

#include "halfling/backend.hpp"
#include "halfling/dataset.hpp"
#include "plan/platform.hpp"
#include "plugin/registry.hpp"
#include "run/run_folder.hpp"

namespace halfling {

/// What computes.
struct Computation {
  const Platform& platform;
  const Graph& graph;  ///< of an iteration
  const Executable& iteration;
  const Dataset& dataset;
};

/// Writes experiment.toml, provenance.json and environment.json; where the run goes on, with those that it
/// ran on before. A line for each thing that has changed since. Throws Error where a file cannot be written.
std::vector<std::string> write_origin(const RunFolder& folder, const Experiment& experiment,
                                      const Computation& computation, const Registry& registry, bool goes_on);

}  // namespace halfling
