// SPDX-License-Identifier: Apache-2.0
// Files, and what they extend.
#include "experiment/layers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "experiment/element_list.hpp"
#include "experiment/home.hpp"
#include "experiment/toml_reader.hpp"

namespace halfling::config {
namespace {

constexpr std::size_t most_bytes = 16u << 20;  // an experiment is small; /dev/zero is not
constexpr std::size_t most_files = 256;

std::string similar_file(const std::filesystem::path& file) {
  std::error_code ignored;
  std::vector<std::string> names;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return did_you_mean(file.filename().string(), names);
}

// Offset of the first byte that is not part of a well-formed code point.
std::size_t first_invalid(const std::string& text) {
  using utf8 = boost::locale::utf::utf_traits<char>;
  for (auto at = text.begin(); at != text.end();) {
    const auto start = at;
    const auto point = utf8::decode(at, text.end());
    if (point == boost::locale::utf::illegal || point == boost::locale::utf::incomplete)
      return static_cast<std::size_t>(start - text.begin());
  }
  return std::string::npos;
}

}  // namespace

std::optional<Table> Layers::read(const std::filesystem::path& file) {
  texts_->push_back({file.lexically_normal().string(), {}, {}, true, 0});
  return read(file.lexically_normal(), main_file());
}

std::optional<std::string> Layers::text_of_file(const std::filesystem::path& file, const Place& wanted_by) {
  const auto unreadable = [&](const std::string& why, const std::string& hint = {}) {
    diagnostics_.add(
        {Fault::unreadable, wanted_by, fmt::format("cannot read \"{}\": {}", file.string(), why), {}, hint});
    return std::nullopt;
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return unreadable("it is a folder", "name a .toml file");
  std::optional<std::string> read;
  try {
    read = read_file(file, most_bytes);
  } catch (const Error& error) {
    const std::string& got = error.details().got;
    return unreadable(got.empty() ? "it is larger than 16 MiB, so it is no experiment" : got);
  }
  if (!read) {
    const std::string variable = variable_hint(file.string());
    return unreadable(std::strerror(ENOENT), variable.empty() ? similar_file(file) : variable);
  }
  std::string text = std::move(*read);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

bool Layers::valid_text(Source& source) {
  const std::size_t bad = first_invalid(source.text);
  if (bad == std::string::npos) return true;
  const std::string_view before = std::string_view(source.text).substr(0, bad);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::uint32_t column = code_points(before.substr(line_start)) + 1;
  for (std::size_t at = bad; at != std::string::npos; at = first_invalid(source.text)) source.text[at] = '?';
  diagnostics_.add(
      {Fault::unreadable, {&source, line, column, 1}, "the file is not UTF-8", {}, "save it as UTF-8"});
  return false;
}

bool Layers::is_cycle(const std::filesystem::path& file, const Place& wanted_by) {
  std::error_code ignored;
  for (auto at = chain_.begin(); at != chain_.end(); ++at) {
    if (!std::filesystem::equivalent(*at, file, ignored)) continue;
    std::string chain;
    for (; at != chain_.end(); ++at) chain += at->string() + " -> ";
    diagnostics_.add({Fault::extends,
                      wanted_by,
                      fmt::format("\"{}\" extends itself", file.string()),
                      {},
                      "the chain is " + chain + file.string()});
    return true;
  }
  return false;
}

// A file that lists its base twice doubles the work, and ten such files in a row make it a thousandfold.
bool Layers::is_too_much(const Place& wanted_by) {
  if (++occurrences_ == most_files + 1)
    diagnostics_.add({Fault::extends,
                      wanted_by,
                      fmt::format("more than {} files are extended, repeated ones counted", most_files),
                      {},
                      "extend a file once, not by several ways"});
  return occurrences_ > most_files;
}

const std::optional<Table>& Layers::parsed(const std::filesystem::path& file, const Place& wanted_by) {
  const auto known = parsed_.find(file);
  return known != parsed_.end() ? known->second : parsed_.emplace(file, parse(file, wanted_by)).first->second;
}

std::optional<Table> Layers::parse(const std::filesystem::path& file, const Place& wanted_by) {
  auto text = text_of_file(file, wanted_by);
  if (!text) return std::nullopt;
  Source& source = texts_->emplace_back(Source{file.string(), std::filesystem::absolute(file).parent_path(),
                                               std::move(*text), true, texts_->size()});
  if (!valid_text(source)) return std::nullopt;
  auto table = read_toml(source, diagnostics_, &advisor_);
  if (table) name_elements(*table, diagnostics_);
  return table;
}

std::optional<Table> Layers::read(const std::filesystem::path& file, const Place& wanted_by) {
  if (is_too_much(wanted_by) || is_cycle(file, wanted_by)) return std::nullopt;
  std::optional<Table> own = parsed(file, wanted_by);
  if (!own) return std::nullopt;
  const Entry* extends = find(*own, "extends");
  if (!extends) return own;
  chain_.push_back(file);
  auto result = bases(*extends, file);
  chain_.pop_back();
  remove_key(*own, "extends");
  if (result) merge(*result, *own, notes_, diagnostics_);
  return result;
}

std::optional<Table> Layers::bases(const Entry& extends, const std::filesystem::path& file) {
  const auto refuse = [&](const Place& place, std::string_view type) {
    diagnostics_.add({Fault::extends, place, fmt::format("\"extends\" is {}", type), "a list of files",
                      "write extends = [\"base/acgan.toml\"]"});
    return std::nullopt;
  };
  if (!extends.node.array()) return refuse(extends.node.place, type_name(extends.node));
  std::optional<Table> result = Table{};
  for (const TomlNode& element : *extends.node.array()) {
    if (!element.string())
      return refuse(element.place, fmt::format("a list with {} in it", type_name(element)));
    const std::string path = expand_home(*element.string()).value_or(*element.string());
    const auto base = read((file.parent_path() / path).lexically_normal(), element.place);
    if (!base) result.reset();  // go on: the other files have faults to tell, too
    if (base && result) merge(*result, *base, notes_, diagnostics_);
  }
  return result;
}

}  // namespace halfling::config
