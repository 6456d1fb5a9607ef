// SPDX-License-Identifier: Apache-2.0
// The convolutions that the experiments of this repository run.
#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "cudnn/convolution_graph.hpp"

namespace halfling::test {

/// Those of experiment files, iteration and sampling, in every precision, at its own batch size
/// and at 1024, with channels padded as the backend does it.
std::set<cudnn::ConvolutionProblem> shipped_convolutions(
    const std::vector<std::filesystem::path>& experiments);

}  // namespace halfling::test
