// SPDX-License-Identifier: Apache-2.0
// What people type who know other programs, and what it is called here.
#pragma once

#include <string>

namespace halfling::cli {

/// A sentence for a command that there is not; empty where it cannot be guessed what was meant.
std::string hint_for_command(const std::string& command);

/// The same for an option, without its dashes. `settings`: the command takes --set, so that the keys of
/// experiments are words that may have been meant.
std::string hint_for_option(const std::string& option, bool settings);

}  // namespace halfling::cli
