// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says of itself, as metadata of its safetensors file.
#pragma once

#include "run/safetensors.hpp"
#include "run/snapshot.hpp"

namespace halfling {

TensorMetadata metadata_of(const CheckpointLabel& label);
/// The other way. The metadata are input from outside: throws Error, with what is wrong as `got` and what it
/// must be as `expected`, where a key is missing or its value is none that a run can write.
CheckpointLabel label_from(const TensorMetadata& metadata);

}  // namespace halfling
