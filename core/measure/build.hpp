// SPDX-License-Identifier: Apache-2.0
// What this program was built from, and how.
#pragma once

#include <string>

namespace halfling {

struct Build {
  std::string commit;    ///< 12 hexadecimal digits; "unknown" where it was built from no checkout
  bool changed = false;  ///< tracked files differed from the commit
  std::string compiler;  ///< "gcc 12.2.0"
  std::string options;   ///< "optimization 2"
  /// "f45fcec01234, changed".
  std::string commit_text() const { return commit + (changed ? ", changed" : ""); }
};

Build this_build();

}  // namespace halfling
