// SPDX-License-Identifier: Apache-2.0
// The batches of an iteration as inputs of its graph.
#pragma once

#include <cstdint>
#include <string>

#include "halfling/backend.hpp"
#include "input/batch_source.hpp"

namespace halfling {

/// What an input is called for batch `index` of an iteration: "images", "images#1", ...
std::string batch_input(const std::string& name, std::int64_t index);

/// Writes "images" and "labels" of all batches of an iteration, which lie one after the other.
void write_batches(Executable& executable, const Batch& batches, std::int64_t count);

}  // namespace halfling
