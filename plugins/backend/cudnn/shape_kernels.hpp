// SPDX-License-Identifier: Apache-2.0
// Kernels that only move bytes.
#pragma once

#include <cuda_runtime_api.h>

#include "program/work.hpp"

namespace halfling::cudnn {

/// Elements of 1, 2, 4 or 8 bytes.
void launch_transpose(cudaStream_t stream, const program::Transposition& transposition);
/// Puts rows together in one launch. `parts` are those of the rows, on the device.
void launch_rows(cudaStream_t stream, const program::Rows& rows, const program::RowPart* parts);
void launch_one_hot(cudaStream_t stream, const program::OneHot& one_hot);

}  // namespace halfling::cudnn
