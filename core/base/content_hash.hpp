// SPDX-License-Identifier: Apache-2.0
// Names things by what is in them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace halfling {

/// SHA-256, unless told otherwise, of all that is added, piece by piece.
class ContentHash {
 public:
  /// `method` as OpenSSL calls it: "SHA256", "MD5".
  explicit ContentHash(const char* method = "SHA256");
  ~ContentHash();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// All of it, in hexadecimal digits. Nothing can be added afterwards.
  std::string digits();
  /// The first 48 bits of it, 12 digits: for names.
  std::string text() { return digits().substr(0, 12); }

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace halfling
