// SPDX-License-Identifier: Apache-2.0
// --set KEY=VALUE: TOML on both sides, except that a plain word on the right is taken as a text.
#include <fmt/format.h>

#include "experiment/element_list.hpp"
#include "experiment/layers.hpp"
#include "experiment/toml_reader.hpp"

namespace halfling::config {
namespace {

constexpr const char* form = "KEY=VALUE, such as input.batch_size=64 or budget.time=2min";

// Of the first '=' that does not stand in quotes; npos where there is none.
std::size_t equals_sign(const std::string& text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '=') {
      return i;
    }
  }
  return std::string::npos;
}

bool is_plain_word(const std::string& text) {
  constexpr std::string_view starts_toml = "[{\"'";
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == '"') return false;
  return !text.empty() && starts_toml.find(text.front()) == std::string_view::npos;
}

TomlNode& only_leaf(Table& table) {
  TomlNode* node = &table.front().node;
  while (auto* inner = std::get_if<Table>(&node->value)) node = &inner->front().node;
  return *node;
}

}  // namespace

std::optional<Table> Layers::override_of(const std::string& argument, std::size_t number) {
  Source& source = texts_->emplace_back(Source{
      fmt::format("--set #{}", number), std::filesystem::current_path(), argument, false, texts_->size()});
  const Place whole{&source, 1, 1, static_cast<std::uint32_t>(-1)};
  const std::size_t equals = equals_sign(argument);
  const std::size_t begin =
      equals == std::string::npos ? equals : argument.find_first_not_of(" \t", equals + 1);
  if (begin == std::string::npos || equals == 0) {
    const char* what = equals == std::string::npos ? "there is no \"=\""
                       : equals == 0               ? "there is no key"
                                                   : "there is no value";
    diagnostics_.add({Fault::override_form, whole, what, form});
    return std::nullopt;
  }
  Diagnostics faults;
  if (auto table = read_toml(source, faults)) return table;
  const std::string value = argument.substr(begin);
  if (is_plain_word(value)) {
    const Place at{&source, 1, code_points(argument) - code_points(value) + 1, code_points(value)};
    source.text = argument.substr(0, equals) + "=0";
    auto table = read_toml(source, faults);
    source.text = argument;
    if (table) {
      only_leaf(*table) = {value, at, {}, {}};
      return table;
    }
  }
  return read_toml(source, diagnostics_, &advisor_);
}

Table Layers::overrides(const std::vector<std::string>& arguments) {
  Table layer;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto table = override_of(arguments[i], i + 1);
    if (!table) continue;
    if (const Entry* extends = find(*table, "extends")) {
      diagnostics_.add({Fault::override_form,
                        extends->place,
                        "\"extends\" cannot be set here",
                        {},
                        "write it into the file"});
      continue;
    }
    name_elements(*table, diagnostics_);
    merge(layer, *table, notes_, diagnostics_);
  }
  return layer;
}

}  // namespace halfling::config
