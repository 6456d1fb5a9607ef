// SPDX-License-Identifier: Apache-2.0
// A trial's name among all others.
#pragma once

#include <string>
#include <string_view>

namespace halfling {

/// The first 48 bits of SHA-256, as 12 hexadecimal digits. n different documents have two of one id with a
/// probability below n^2 / 2^49: 2e-9 for 1,000 of them, 2e-5 for 100,000.
std::string trial_id(std::string_view document);

}  // namespace halfling
