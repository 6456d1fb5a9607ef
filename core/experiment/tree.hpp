// SPDX-License-Identifier: Apache-2.0
// A TOML document as values with places, in file order, and the rules by which one is laid over another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiment/source.hpp"

namespace halfling::config {

class Diagnostics;

struct TomlNode;
struct Entry;
using Array = std::vector<TomlNode>;
using Table = std::vector<Entry>;
/// A TOML date or time: no option takes one.
struct DateTime {};

struct TomlNode {
  std::variant<bool, std::int64_t, double, std::string, DateTime, Array, Table> value;
  Place place;
  std::vector<Place> overrode;  ///< places of the values that this one replaced, the nearest first
  Place referred_from;          ///< of the reference where this is a variable's value

  const Table* table() const { return std::get_if<Table>(&value); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value); }
  const std::string* string() const { return std::get_if<std::string>(&value); }
  const Array* array() const { return std::get_if<Array>(&value); }
};

struct Entry {
  std::string key;
  Place place;  ///< of the key
  TomlNode node;
};

const Entry* find(const Table& table, std::string_view key);
Entry* find(Table& table, std::string_view key);
void remove_key(Table& table, std::string_view key);

/// "a.b.c" -> {"a", "b", "c"}; parts may be empty where the text is malformed.
std::vector<std::string> split_path(std::string_view path);
/// The value at a dotted path; nullptr where there is none.
const TomlNode* at_path(const Table& table, const std::vector<std::string>& path);
/// Puts a value at a path, making tables on the way; all new keys have the given place.
void put(Table& table, const std::vector<std::string>& path, const Place& key, TomlNode value);

/// Lays a document over another: tables merge, everything else is replaced, but a table with append or remove
/// changes a list. Where `over` changes the plugin that a component uses, the options of the old one are
/// dropped, with a note. Lists of components must have the form of element_list.hpp.
void merge(Table& base, const Table& over, std::vector<std::string>& notes, Diagnostics& diagnostics);

/// "an integer", "a table", …
std::string_view type_name(const TomlNode& node);
/// The value without quotes, on one line: "mixed", "[1,2]".
std::string short_text(const TomlNode& node);
/// 1 and 1.0 are the same; a text is never a number.
bool same_value(const TomlNode& a, const TomlNode& b);

}  // namespace halfling::config
