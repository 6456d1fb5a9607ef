// SPDX-License-Identifier: Apache-2.0
// A look at a file before it is given to the dynamic loader, which runs code and does not survive every bad
// file.
#pragma once

#include <filesystem>
#include <optional>

#include "halfling/error.hpp"

namespace halfling {

/// Why the file cannot be a shared library of this machine: not readable, another kind of file, another
/// processor, cut off. Empty where nothing speaks against loading it.
std::optional<ErrorDetails> shared_library_defect(const std::filesystem::path& file);

}  // namespace halfling
