// SPDX-License-Identifier: Apache-2.0
// Which value became non-finite first.
#pragma once

#include <optional>
#include <string>

#include "halfling/backend.hpp"
#include "input/batch_source.hpp"
#include "iteration/iteration.hpp"

namespace halfling {

struct Nonfinite {
  std::string value;  ///< readable: "d.conv2/conv2d.0"
  Stage stage;        ///< forward: no loss scale can help; backward: a smaller one may
};

/// Computes the last iteration once more, on the same batches and the same random numbers, with every value
/// checked, and gives the first one that is not finite in the order of computation; nothing where all are
/// finite now. Steps the session's random counter back, compiles, and changes no other state. Updates that
/// the iteration made before it failed stay made, so what is shown can be a later symptom of the same cause.
std::optional<Nonfinite> first_nonfinite(const IterationGraph& iteration, Session& session,
                                         const Batch& batches);

}  // namespace halfling
