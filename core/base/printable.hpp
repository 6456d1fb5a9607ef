// SPDX-License-Identifier: Apache-2.0
// Text from a user, made fit for a terminal and for a line.
#pragma once

#include <string>
#include <string_view>

namespace halfling {

/// The text with every control character but the tab, in the form of a TOML escape: "\n", "\u0000". UTF-8 in
/// and out.
std::string printable(std::string_view text);
/// The same, with line breaks left as they are.
std::string printable_lines(std::string_view text);

}  // namespace halfling
