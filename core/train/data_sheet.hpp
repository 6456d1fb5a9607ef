// SPDX-License-Identifier: Apache-2.0
// What the networks are really given: images of a batch, a class in a column, as in the grids of generated
// ones.
#pragma once

#include "halfling/architecture.hpp"
#include "halfling/image.hpp"
#include "input/batch_source.hpp"

namespace halfling {

/// The first images of each class in the batch, at most `rows`; white where it has fewer.
Image data_sheet(const Batch& batch, const BatchSpec& spec, std::int64_t rows);

}  // namespace halfling
