// SPDX-License-Identifier: Apache-2.0
// How far words are from each other, for did-you-mean.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "halfling/suggest.hpp"

namespace halfling {

/// Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other (optimal
/// string alignment distance; Damerau 1964). Upper and lower case are alike, and so are '-' and '_'.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace halfling
