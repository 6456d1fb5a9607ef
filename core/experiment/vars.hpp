// SPDX-License-Identifier: Apache-2.0
// [vars]: values with a name, and "${vars.NAME}" where they are used.
#pragma once

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// Replaces every reference and removes [vars]. A text that is nothing but a reference takes the variable's
/// value with its type; inside a longer text, the value is written out. "$${" stands for "${". Reports
/// variables that are not there, and values that cannot be used.
void substitute_vars(Table& root, Diagnostics& diagnostics);

/// Reports the variables that `over` gives and that the document does not have: only a file can make them.
void check_vars_known(const Table& root, const Table& over, Diagnostics& diagnostics);

/// A text with which a file says exactly this: "${" is written "$${".
std::string escape_references(std::string_view text);

}  // namespace halfling::config
