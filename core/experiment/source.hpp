// SPDX-License-Identifier: Apache-2.0
// The texts that values come from, and places in them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

namespace halfling::config {

/// A file, or one --set argument.
struct Source {
  std::string name;              ///< as shown: "experiments/a.toml", "--set #1"
  std::filesystem::path folder;  ///< absolute; relative paths that this text wrote are taken from it
  std::string text;              ///< UTF-8
  bool file = true;              ///< false: places have no line and column
  std::size_t order = 0;         ///< in which it was read: messages are sorted by it
};

/// All texts of one experiment; a place points into them.
using Texts = std::deque<Source>;

/// A stretch of one line. Columns count code points from 1, as TOML readers do; line 0: the source as a
/// whole.
struct Place {
  const Source* source = nullptr;  ///< nullptr: a default
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;
  bool operator==(const Place&) const = default;
};

/// "experiments/a.toml:12:3", "experiments/a.toml", "--set #1".
std::string text_of(const Place& place);
/// The place's line without its end; empty where there is none.
std::string line_of(const Place& place);
/// Number of code points in UTF-8 text.
std::uint32_t code_points(std::string_view text);
/// The text from code point `first` (from 0) on, `count` code points long.
std::string_view code_point_slice(std::string_view text, std::uint32_t first, std::uint32_t count);

}  // namespace halfling::config
