// SPDX-License-Identifier: Apache-2.0
#include "experiment/trial_id.hpp"

#include "base/content_hash.hpp"

namespace halfling {

std::string trial_id(std::string_view document) {
  ContentHash hash;
  hash.add(document);
  return hash.text();
}

}  // namespace halfling
