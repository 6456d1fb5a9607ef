// SPDX-License-Identifier: Apache-2.0
#include "cudnn_engines.hpp"

#include "device.hpp"

namespace emulation {
namespace {

bool any(DType) {
  return true;
}
bool single(DType type) {
  return type == DType::f32;
}
bool half(DType type) {
  return halfling::is_half(type);
}
bool tf32(DType type) {
  return type == DType::f32 && has_bf16_and_tf32();
}

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      {.index = 40,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS},
       .behavior_notes = {},
       .workspace = 0,
       .arithmetic = {.operands = Operands::f16},
       .supports = single},
      {.index = 41,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION},
       .behavior_notes = {},
       .workspace = 0,
       .arithmetic = {.reduced_sums = true},
       .supports = any},
      {.index = 42,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC},
       .behavior_notes = {},
       .workspace = 0,
       .arithmetic = {.nondeterministic = true},
       .supports = any},
      {.index = 43,  // there is nothing to compile with
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {},
       .behavior_notes = {CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION},
       .workspace = 0,
       .arithmetic = {},
       .supports = any,
       .runs = false},
      {.index = 44,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {},
       .behavior_notes = {},
       .workspace = 0,
       .arithmetic = {},
       .supports = any,
       .builds = false},
      {.index = 45,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {},
       .behavior_notes = {},
       .workspace = std::int64_t{1} << 40,
       .arithmetic = {},
       .supports = any},
      {.index = 46,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE},
       .behavior_notes = {},
       .workspace = 131,
       .arithmetic = {.operands = Operands::tf32},
       .supports = tf32},
      {.index = 47,
       .mode = CUDNN_HEUR_MODE_A,
       .numerical_notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE},
       .behavior_notes = {},
       .workspace = 4736,
       .arithmetic = {},
       .supports = half},
      {.index = 1,
       .mode = CUDNN_HEUR_MODE_FALLBACK,
       .numerical_notes = {},
       .behavior_notes = {},
       .workspace = 1024,
       .arithmetic = {},
       .supports = any},
  };
  return all;
}

}  // namespace emulation
