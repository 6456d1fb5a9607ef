// SPDX-License-Identifier: Apache-2.0
#include "fetch/card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "experiment/toml_reader.hpp"
#include "fetch/card_texts.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

/// Of a file or folder in the cache: no part of a path that leads elsewhere.
bool is_plain(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name.front() != '.';
}

/// One card's text, key by key.
class CardReader {
 public:
  CardReader(const std::string& file, const toml::table& table) : file_(file), table_(table) {}

  Card card() const {
    const std::map<std::string_view, std::string Card::*> texts{
        {"name", &Card::name},     {"title", &Card::title},         {"use", &Card::use},
        {"source", &Card::source}, {"licence", &Card::licence},     {"credit", &Card::credit},
        {"notes", &Card::notes},   {"class_url", &Card::class_url}, {"strokes_url", &Card::strokes_url}};
    Card result;
    for (const auto& [key, node] : table_) {
      const std::string_view name = key.str();
      if (const auto text = texts.find(name); text != texts.end())
        result.*text->second = text_of(node, name);
      else if (name == "file")
        result.files = files(node);
      else if (name != "shape" && name != "classes" && name != "debian_package")
        refuse(key.source(), "a card has no such key", std::string(name), "a key of datasets/README.md");
    }
    if (table_.contains("name") && !is_plain(result.name))
      refuse(table_.get("name")->source(), "a card's name leads elsewhere", result.name, "a plain name");
    for (const char* needed : {"name", "use", "licence"})
      if (!table_.contains(needed))
        refuse(table_.source(), "a card lacks a key", {}, std::string(needed) + " = \"...\"");
    return result;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& at, const char* what, std::string got,
                           std::string expected) const {
    throw Error({.what = what,
                 .where = fmt::format("{}:{}:{}", file_, at.begin.line, at.begin.column),
                 .got = std::move(got),
                 .expected = std::move(expected),
                 .kind = ErrorKind::usage});
  }

  std::string text_of(const toml::node& node, std::string_view key) const {
    if (!node.is_string())
      refuse(node.source(), "a value of a card is no text", std::string(key), "a text in quotes");
    return node.value_or(std::string());
  }

  std::vector<CardFile> files(const toml::node& node) const {
    if (!node.is_array_of_tables())
      refuse(node.source(), "the files of a card are no tables", "file", "[[file]]");
    std::vector<CardFile> result;
    for (const toml::node& element : *node.as_array()) result.push_back(file(*element.as_table()));
    return result;
  }

  CardFile file(const toml::table& table) const {
    CardFile result;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "name")
        result.name = text_of(node, name);
      else if (name == "url")
        result.urls = urls(node);
      else if (name == "sha256")
        result.sha256 = digest(node, name, 64);
      else if (name == "md5")
        result.md5 = digest(node, name, 32);
      else if (name == "bytes")
        result.bytes = bytes(node);
      else if (name == "archive")
        result.archive = flag(node);
      else if (name != "samples" && !name.starts_with("unpacked_"))
        refuse(key.source(), "a card's file has no such key", std::string(name),
               "a key of datasets/README.md");
    }
    if (!is_plain(result.name))
      refuse(table.source(), "a card's file has no plain name", result.name,
             "a file's name, without a folder");
    return result;
  }

  std::string digest(const toml::node& node, std::string_view key, std::size_t length) const {
    std::string text = text_of(node, key);
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.size() != length || text.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse(node.source(), "this is no digest", text, fmt::format("{} hexadecimal digits", length));
    return text;
  }

  std::uint64_t bytes(const toml::node& node) const {
    const auto value = node.is_integer() ? node.value_or(std::int64_t{0}) : 0;
    if (value <= 0)
      refuse(node.source(), "a file's size is no number of bytes", "bytes", "a whole number above 0");
    return static_cast<std::uint64_t>(value);
  }

  bool flag(const toml::node& node) const {
    if (!node.is_boolean())
      refuse(node.source(), "whether a file is an archive is not told", "archive", "true or false");
    return node.value_or(false);
  }

  /// One, or a list of mirrors.
  std::vector<std::string> urls(const toml::node& node) const {
    if (node.is_string()) return {text_of(node, "url")};
    std::vector<std::string> result;
    if (!node.is_array()) refuse(node.source(), "an address is no text", "url", "a text, or a list of them");
    for (const toml::node& element : *node.as_array()) result.push_back(text_of(element, "url"));
    return result;
  }

  const std::string& file_;
  const toml::table& table_;
};

Card card_of(const std::string& text, const std::string& file) {
  if (config::nested_too_deep(text) != std::string::npos)
    throw Error({.what = "a card is nested too deep", .where = file, .kind = ErrorKind::usage});
  try {
    const toml::table table = toml::parse(text, file);
    return CardReader(file, table).card();
  } catch (const toml::parse_error& error) {
    throw Error(
        {.what = "a card is no TOML",
         .where = fmt::format("{}:{}:{}", file, error.source().begin.line, error.source().begin.column),
         .got = std::string(error.description()),
         .kind = ErrorKind::usage});
  }
}

/// Bytes that an address cannot have, of a class's name.
std::string in_url(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == ' ' ? std::string("%20") : std::string(1, c);
  return result;
}

}  // namespace

std::vector<Card> shipped_cards() {
  std::vector<Card> cards;
  for (const auto& [name, text] : card_texts) cards.push_back(card_of(text, std::string(name) + ".toml"));
  return cards;
}

Card read_card(const std::filesystem::path& file) {
  const auto text = read_file(file, largest_document);
  if (text) return card_of(*text, file.string());
  throw Error({.what = "there is no such card", .where = file.string(), .kind = ErrorKind::usage});
}

Card find_card(const std::string& name) {
  if (name.ends_with(".toml")) return read_card(name);
  std::vector<std::string> names;
  for (const Card& card : shipped_cards()) {
    if (card.name == name) return card;
    names.push_back(card.name);
  }
  throw Error({.what = "there is no card of this name",
               .got = name,
               .expected = fmt::format("{}, or a card's file that ends in .toml", fmt::join(names, ", ")),
               .hint = did_you_mean(name, names),
               .kind = ErrorKind::usage});
}

std::vector<std::string> keys_of(const std::filesystem::path& file) {
  std::vector<std::string> keys;
  const auto text = read_file(file, largest_document);
  if (!text || config::nested_too_deep(*text) != std::string::npos) return keys;
  try {
    for (const auto& [key, node] : toml::parse(*text)) keys.emplace_back(key.str());
  } catch (const toml::parse_error&) {
    keys.clear();  // whoever reads the file tells what is wrong with it
  }
  return keys;
}

CardFile file_of_class(const Card& card, const std::string& name, bool strokes) {
  const std::string& address = strokes ? card.strokes_url : card.class_url;
  for (const CardFile& file : card.files)
    if (!strokes && std::filesystem::path(file.name).stem() == name) return file;
  const std::size_t at = address.find("{class}");
  if (at == std::string::npos || name.find('/') != std::string::npos || name.starts_with("."))
    throw Error({.what = address.empty() ? "the data set has no file for each class" : "this can be no class",
                 .where = card.name,
                 .got = name,
                 .kind = ErrorKind::usage});
  std::string url = address;
  url.replace(at, 7, in_url(name));
  const std::string end = std::filesystem::path(address).filename().extension().string();
  return {.name = name + end, .urls = {url}, .sha256 = {}, .md5 = {}};
}

}  // namespace halfling
