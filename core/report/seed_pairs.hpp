// SPDX-License-Identifier: Apache-2.0
// Runs of two settings that began alike.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/setting.hpp"

namespace halfling {

/// One pair for each seed of which both have a run that `counts`, the first of it.
template <class Counts>
std::vector<std::pair<const RunRecord*, const RunRecord*>> seed_pairs(const Setting& baseline,
                                                                      const Setting& other, Counts counts) {
  std::map<std::string, const RunRecord*> seeds;
  for (const RunRecord& run : baseline.runs)
    if (counts(run)) seeds.emplace(run.value("experiment.seed"), &run);
  std::vector<std::pair<const RunRecord*, const RunRecord*>> pairs;
  for (const RunRecord& run : other.runs) {
    const auto found = seeds.find(run.value("experiment.seed"));
    if (found == seeds.end() || !counts(run)) continue;
    pairs.emplace_back(found->second, &run);
    seeds.erase(found);
  }
  return pairs;
}

}  // namespace halfling
