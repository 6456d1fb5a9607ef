// SPDX-License-Identifier: Apache-2.0
// What two fingerprints (HALFLING_FINGERPRINT) differ in, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halfling {

struct FingerprintDifference {
  std::string what;     ///< "the compiler"
  std::string plugin;   ///< as its fingerprint has it: "gcc-12"; "nothing" where it lacks it
  std::string program;  ///< "gcc-13"
};

/// Part by part; empty where one of the two is no fingerprint.
std::vector<FingerprintDifference> fingerprint_differences(std::string_view plugin, std::string_view program);

/// "the compiler is gcc-12 in the plugin and gcc-13 here".
std::string text_of(const FingerprintDifference& difference);

}  // namespace halfling
