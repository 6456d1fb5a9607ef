// SPDX-License-Identifier: Apache-2.0
// Did-you-mean, for the hints of errors.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "halfling/export.hpp"

namespace halfling {

/// The candidate that is nearest to a misspelt word, the first of several; empty where none is near: at most
/// a third of the word's letters differ (one may in any case), upper and lower case are alike, and so are '-'
/// and '_'.
HALFLING_API std::string suggest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "adam"?` with that candidate; empty where there is none.
HALFLING_API std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace halfling
