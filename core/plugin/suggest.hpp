// SPDX-License-Identifier: Apache-2.0
// Did-you-mean: the known word that is nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace halfling {

/// Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other (optimal
/// string alignment distance; Damerau 1964). Upper and lower case are alike, and so are '-' and '_'.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate, the first of several; empty where none is near (at most a third of the word's
/// letters differ, at least one may).
std::string suggest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "adam"?`, or empty: for Error's hint.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace halfling
