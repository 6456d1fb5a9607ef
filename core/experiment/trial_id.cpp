// SPDX-License-Identifier: Apache-2.0
#include "experiment/trial_id.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <span>

#include "halfling/error.hpp"

namespace halfling {

std::string trial_id(std::string_view document) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  if (EVP_Digest(document.data(), document.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error({.what = "OpenSSL's libcrypto could not compute SHA-256, of which a trial's id is made"});
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(6), ""));
}

}  // namespace halfling
