// SPDX-License-Identifier: Apache-2.0
// The convolutions that the experiments of this repository run.
#pragma once

#include <filesystem>
#include <set>

#include "cudnn/convolution_graph.hpp"

namespace halfling::test {

/// Those of every experiment in the folder, iteration and sampling, in every precision, at its own batch size
/// and at 1024, with channels padded as the backend does it.
std::set<cudnn::ConvolutionProblem> shipped_convolutions(const std::filesystem::path& experiments);

}  // namespace halfling::test
