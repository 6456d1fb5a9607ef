// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace halfling;

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("adam", "adam") == 0);
  CHECK(edit_distance("adma", "adam") == 1);
  CHECK(edit_distance("adm", "adam") == 1);
  CHECK(edit_distance("batch-size", "BATCH_SIZE") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("suggest gives the nearest word, or none") {
  const std::vector<std::string> words = {"batch_size", "prefetch", "beta1", "beta2", "id"};
  CHECK(suggest("batchsize", words) == "batch_size");
  CHECK(suggest("prefech", words) == "prefetch");
  CHECK(suggest("beta3", words) == "beta1");
  CHECK(suggest("learning_rate", words).empty());
  CHECK(suggest("x", words).empty());
  CHECK(suggest("", words).empty());
  CHECK(did_you_mean("prefetsh", words) == "did you mean \"prefetch\"?");
  CHECK(did_you_mean("nothing", words).empty());
}
