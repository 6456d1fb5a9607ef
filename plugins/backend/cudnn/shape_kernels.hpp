// SPDX-License-Identifier: Apache-2.0
// Kernels that only move bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "program/rows.hpp"

namespace halfling::cudnn {

/// `batch` matrices [rows, columns], one after the other, become [columns, rows]; `element` is the size of
/// one: 1, 2, 4 or 8 bytes.
struct Transposition {
  std::int64_t batch, rows, columns;
  std::size_t element;
};
void launch_transpose(cudaStream_t stream, const Transposition& transposition, const std::byte* from,
                      std::byte* to);

/// Puts rows together in one launch. `parts` are those of the rows, on the device.
void launch_rows(cudaStream_t stream, const program::Rows& rows, const program::RowPart* parts,
                 std::byte* to);

/// to [rows, classes]: 1 where the column is the row's label, else 0.
void launch_one_hot(cudaStream_t stream, const std::int32_t* labels, float* to, std::int64_t rows,
                    std::int64_t classes);

}  // namespace halfling::cudnn
