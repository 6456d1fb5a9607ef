// SPDX-License-Identifier: Apache-2.0
// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace halfling::cli {

using Row = std::vector<std::string>;

/// One line per row, the first row being the heading; columns are two blanks apart, and lines have no blanks
/// at their ends.
std::string table(const std::vector<Row>& rows);

}  // namespace halfling::cli
