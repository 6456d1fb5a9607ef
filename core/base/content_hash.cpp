// SPDX-License-Identifier: Apache-2.0
#include "base/content_hash.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>

#include "halfling/error.hpp"

namespace halfling {
namespace {

void check(int result) {
  if (result != 1) throw Error({.what = "OpenSSL's libcrypto could not compute SHA-256"});
}

}  // namespace

struct ContentHash::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

ContentHash::ContentHash() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr));
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()));
}

std::string ContentHash::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  check(EVP_DigestFinal_ex(context_->evp, digest.data(), nullptr));
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(6), ""));
}

}  // namespace halfling
