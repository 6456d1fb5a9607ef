// SPDX-License-Identifier: Apache-2.0
// What this machine can do at best, measured beside the thing that is compared with it.
#pragma once

#include "halfling/dtype.hpp"

namespace halfling::bench {

/// FLOP/s of oneDNN's matrix product, 2048 cubed, in f32 or bf16 (emulated where the processor lacks it).
double gemm_rate(DType format);

/// Bytes/s of a loop that moves memory as Adam does: four arrays of f32 read, three written, 28 bytes an
/// element.
double update_bandwidth();

}  // namespace halfling::bench
