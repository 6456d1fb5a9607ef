// SPDX-License-Identifier: Apache-2.0
// Paths as people write them: "~" is a home folder; variables of the environment are not expanded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halfling::config {

/// "~" and "~/x" with the user's home folder, "~name/x" with that user's; anything else as it is. nullopt
/// where there is no such user, or no home folder is known.
std::optional<std::string> expand_home(const std::string& path);

/// What to say of a path that leads nowhere and has "$NAME" or "${NAME}" in it; else empty.
std::string variable_hint(std::string_view path);

}  // namespace halfling::config
