// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace halfling::cli {

/// A word as a POSIX shell must be given it: in quotes where that is needed.
std::string shell_word(const std::string& word);

}  // namespace halfling::cli
