// SPDX-License-Identifier: Apache-2.0
// Values on their way between host and executable.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "halfling/backend.hpp"

namespace halfling {

/// A named input or output; throws std::logic_error where the graph has none of this name.
const ValueInfo& output_info(const Graph& graph, std::string_view name);
const ValueInfo& input_info(const Graph& graph, std::string_view name);

/// A whole output as numbers, whatever its format: of the last run, or of the one before it (runs_ago 1).
std::vector<double> read_numbers(Executable& executable, const Graph& graph, std::string_view output,
                                 int runs_ago = 0);
/// A scalar output as a number.
double read_number(Executable& executable, const Graph& graph, std::string_view output, int runs_ago = 0);

/// Elements of any format as numbers.
std::vector<double> to_numbers(std::span<const std::byte> bytes, DType type);

}  // namespace halfling
