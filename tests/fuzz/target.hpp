// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets share: any bytes are read, or refused by an Error that names the file in words of our
// own. Whatever else is thrown ends the fuzzer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace halfling::fuzz {

using Bytes = std::span<const std::uint8_t>;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Of this process, in memory where the system has such a folder; removed at the end.
const std::filesystem::path& scratch();
/// A file in it.
std::filesystem::path write(std::string_view name, std::string_view text);

/// `named`: what a refusal must name.
void read_or_refuse(std::string_view named, const std::function<void()>& read);

}  // namespace halfling::fuzz
