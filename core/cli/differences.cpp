// SPDX-License-Identifier: Apache-2.0
#include "cli/differences.hpp"

#include <algorithm>

namespace halfling::cli {

std::vector<Difference> differences(const Experiment& a, const Experiment& b) {
  std::vector<Difference> result;
  for (const Origin& origin : a.origins) {
    const auto other = std::ranges::find(b.origins, origin.key, &Origin::key);
    if (other == b.origins.end())
      result.push_back({origin.key, origin.value, {}});
    else if (other->value != origin.value)
      result.push_back({origin.key, origin.value, other->value});
  }
  for (const Origin& origin : b.origins)
    if (std::ranges::find(a.origins, origin.key, &Origin::key) == a.origins.end())
      result.push_back({origin.key, {}, origin.value});
  return result;
}

}  // namespace halfling::cli
