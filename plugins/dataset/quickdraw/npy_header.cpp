// SPDX-License-Identifier: Apache-2.0
#include "npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace halfling {

namespace {

/// What follows `"key":` in a dictionary without blanks.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const std::size_t at = text.find(quoted);
  if (at == text.npos) return std::nullopt;
  return text.substr(at + quoted.size());
}

std::optional<std::string> string_at(std::string_view text) {
  if (!text.starts_with("'")) return std::nullopt;
  const std::size_t end = text.find('\'', 1);
  if (end == text.npos) return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

std::optional<bool> boolean_at(std::string_view text) {
  if (text.starts_with("True")) return true;
  if (text.starts_with("False")) return false;
  return std::nullopt;
}

/// "(2,784)", "(2,)", "()", and "(2L,784L)" of Python 2.
std::optional<std::vector<std::int64_t>> tuple_at(std::string_view text) {
  if (!text.starts_with("(")) return std::nullopt;
  text.remove_prefix(1);
  std::vector<std::int64_t> extents;
  while (!text.starts_with(")")) {
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (text.starts_with("L")) text.remove_prefix(1);
    if (text.starts_with(","))
      text.remove_prefix(1);
    else if (!text.starts_with(")"))
      return std::nullopt;
    extents.push_back(extent);
  }
  return extents;
}

}  // namespace

std::optional<NpyHeader> parse_npy_header(std::string_view text) {
  std::string plain;  // blanks mean nothing here, and either quote may stand
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != ' '; });
  std::ranges::replace(plain, '"', '\'');
  const auto descr = value_of(plain, "descr"), order = value_of(plain, "fortran_order"),
             shape = value_of(plain, "shape");
  if (!descr || !order || !shape) return std::nullopt;
  const auto type = string_at(*descr);
  const auto fortran = boolean_at(*order);
  const auto extents = tuple_at(*shape);
  if (!type || !fortran || !extents) return std::nullopt;
  return NpyHeader{*type, *fortran, *extents};
}

bool is_unsigned_byte(std::string_view descr) {
  if (!descr.empty() && std::string_view("|<>=").find(descr.front()) != std::string_view::npos)
    descr.remove_prefix(1);
  return descr == "u1";
}

}  // namespace halfling
