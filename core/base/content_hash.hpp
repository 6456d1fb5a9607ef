// SPDX-License-Identifier: Apache-2.0
// Names things by what is in them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace halfling {

/// SHA-256 of all that is added, piece by piece.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// The first 48 bits, as 12 hexadecimal digits. Nothing can be added afterwards.
  std::string text();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace halfling
