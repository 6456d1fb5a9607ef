// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "halfling/error.hpp"

namespace halfling {

/// What the dynamic loader said of a file, in words: a library that is missing, a function that nobody
/// defines.
ErrorDetails loading_error(std::string_view said);

}  // namespace halfling
