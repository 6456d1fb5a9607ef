// SPDX-License-Identifier: Apache-2.0
#include "cli/differences.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace halfling::cli {

std::vector<Difference> differences(const std::vector<const Experiment*>& experiments) {
  std::vector<Difference> all;
  std::map<std::string, std::size_t> index;
  const auto add = [&](std::size_t i, const std::string& key, const std::string& value) {
    const auto [known, fresh] = index.emplace(key, all.size());
    if (fresh) all.push_back({key, std::vector<std::string>(experiments.size())});
    all[known->second].values[i] = value;
  };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    for (const Origin& origin : experiments[i]->origins) add(i, origin.key, origin.value);
    // The order counts, too, and no value tells it.
    add(i, "transform", names_of(experiments[i]->transforms));
    add(i, "reporter", names_of(experiments[i]->reporters));
  }
  std::erase_if(all, [](const Difference& each) {
    return std::ranges::adjacent_find(each.values, std::not_equal_to<>()) == each.values.end();
  });
  return all;
}

}  // namespace halfling::cli
