// SPDX-License-Identifier: Apache-2.0
#include "measure/build.hpp"

#include "measure/commit.hpp"  // generated; included here only, so that a new commit compiles this file alone

namespace halfling {

Build this_build() {
#if defined(__clang__)
  return {HALFLING_COMMIT, HALFLING_CHANGED, "clang " __clang_version__, HALFLING_BUILD_OPTIONS};
#else
  return {HALFLING_COMMIT, HALFLING_CHANGED, "gcc " __VERSION__, HALFLING_BUILD_OPTIONS};
#endif
}

}  // namespace halfling
