// SPDX-License-Identifier: Apache-2.0
// Errors for editors and other programs.
#pragma once

#include <string>

#include "experiment/diagnostics.hpp"

namespace halfling::cli {

/// {"errors": […]}: one element per diagnostic, with "code", "file", "line", "column", "length" (lines and
/// columns from 1, in code points; without them where the fault has no place), "message", "expected", "hint",
/// "trial". Any other error has "message", "where", "got", "expected", "hint". What is empty is left out.
std::string error_json(const Error& error);

}  // namespace halfling::cli
