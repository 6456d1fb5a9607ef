// SPDX-License-Identifier: Apache-2.0
#include "fetch/digest.hpp"

#include <fstream>
#include <span>
#include <vector>

#include "base/content_hash.hpp"
#include "halfling/error.hpp"

namespace halfling {

std::string digest_of(const std::filesystem::path& file, const char* method) {
  ContentHash hash(method);
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> block(1 << 20);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0)
    hash.add(std::as_bytes(std::span(block).first(static_cast<std::size_t>(stream.gcount()))));
  if (!stream.eof()) throw Error({.what = "a file cannot be read", .where = file.string()});
  return hash.digits();
}

}  // namespace halfling
