// SPDX-License-Identifier: Apache-2.0
// What ran, where each of its values came from, and on what: the first files of a run folder.
#pragma once

#include "halfling/backend.hpp"
#include "plan/platform.hpp"
#include "plugin/registry.hpp"
#include "run/run_folder.hpp"

namespace halfling {

/// Writes experiment.toml, provenance.json and environment.json. Throws Error where one cannot be written.
void write_origin(const RunFolder& folder, const Experiment& experiment, const Platform& platform,
                  const Graph& graph, const Executable& iteration, const Registry& registry);

}  // namespace halfling
