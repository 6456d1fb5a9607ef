// SPDX-License-Identifier: Apache-2.0
// Patterns of names, the same wherever an experiment gives some.
#pragma once

#include <string_view>

#include "halfling/export.hpp"

namespace halfling {

/// `*` stands for any characters, also none; every other character stands for itself.
HALFLING_API bool matches(std::string_view pattern, std::string_view name);

}  // namespace halfling
