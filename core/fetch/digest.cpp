// SPDX-License-Identifier: Apache-2.0
#include "fetch/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "halfling/error.hpp"

namespace halfling {

std::string digest_of(const std::filesystem::path& file, const char* name) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> method(EVP_MD_fetch(nullptr, name, nullptr),
                                                               EVP_MD_free);
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> block(1 << 20);
  bool good = method && EVP_DigestInit_ex(context.get(), method.get(), nullptr) == 1 && stream;
  while (good &&
         (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0))
    good = EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(stream.gcount())) == 1;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (!good || stream.bad() || EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1)
    throw Error({.what = "a file's digest could not be computed", .where = file.string(), .got = name});
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(length), ""));
}

}  // namespace halfling
