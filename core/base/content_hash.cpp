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
  if (result != 1) throw Error({.what = "OpenSSL's libcrypto could not compute a digest"});
}

}  // namespace

struct ContentHash::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

ContentHash::ContentHash(const char* method) : context_(std::make_unique<Context>()) {
  const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> type(EVP_MD_fetch(nullptr, method, nullptr),
                                                             EVP_MD_free);
  check(type ? EVP_DigestInit_ex(context_->evp, type.get(), nullptr) : 0);
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()));
}

std::string ContentHash::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  check(EVP_DigestFinal_ex(context_->evp, digest.data(), &length));
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(length), ""));
}

}  // namespace halfling
