// SPDX-License-Identifier: Apache-2.0
#include "experiment/trial_id.hpp"

#include <doctest/doctest.h>

#include <set>

using halfling::trial_id;

TEST_CASE("an id is the beginning of SHA-256") {  // known answers of FIPS 180-4
  CHECK(trial_id("") == "e3b0c44298fc");
  CHECK(trial_id("abc") == "ba7816bf8f01");
}

TEST_CASE("a hundred thousand documents have as many ids") {
  std::set<std::string> ids;
  for (int i = 0; i < 100000; ++i) ids.insert(trial_id("seed = " + std::to_string(i)));
  CHECK(ids.size() == 100000);
}
