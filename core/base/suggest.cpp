// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"

#include <algorithm>
#include <vector>

namespace halfling {
namespace {

char folded(char c) {
  if (c == '-') return '_';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances between the first i letters of a and every prefix of b; a swap looks two rows
  // back.
  std::vector<std::size_t> before, previous, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(previous);
    previous = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string suggest(std::string_view word, std::span<const std::string> candidates) {
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > limit || distance >= std::max(word.size(), candidate.size())) continue;
    if (best.empty() || distance < limit) best = candidate;
    limit = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string nearest = suggest(word, candidates);
  return nearest.empty() ? nearest : "did you mean \"" + nearest + "\"?";
}

}  // namespace halfling
