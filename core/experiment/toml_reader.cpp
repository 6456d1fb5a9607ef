// SPDX-License-Identifier: Apache-2.0
#include "experiment/toml_reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "experiment/advice.hpp"

namespace halfling::config {
namespace {

Place place_of(const Source* source, const toml::source_region& region) {
  Place place{source, region.begin.line, region.begin.column, 1};
  if (region.end.line == region.begin.line && region.end.column > region.begin.column)
    place.length = region.end.column - region.begin.column;
  else if (region.end.line > region.begin.line)
    place.length = static_cast<std::uint32_t>(-1);  // to the end of the line
  return place;
}

TomlNode convert(const Source* source, const toml::node& node);

Table convert(const Source* source, const toml::table& table) {
  Table result;
  for (const auto& [key, value] : table)
    result.push_back({std::string(key.str()), place_of(source, key.source()), convert(source, value)});
  std::sort(result.begin(), result.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return result;
}

TomlNode convert(const Source* source, const toml::node& node) {
  TomlNode result;
  result.place = place_of(source, node.source());
  if (const auto* b = node.as_boolean()) {
    result.value = b->get();
  } else if (const auto* i = node.as_integer()) {
    result.value = i->get();
  } else if (const auto* f = node.as_floating_point()) {
    result.value = f->get();
  } else if (const auto* s = node.as_string()) {
    result.value = s->get();
  } else if (const auto* t = node.as_table()) {
    result.value = convert(source, *t);
  } else if (const auto* a = node.as_array()) {
    Array array;
    for (const toml::node& element : *a) array.push_back(convert(source, element));
    result.value = std::move(array);
  } else {
    result.value = DateTime{};
  }
  return result;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// The key or header that a line defines: "[a.b]", "lr".
std::string defined_by(const std::string& line) {
  const std::string text = trimmed(line);
  if (text.starts_with("[")) return text.substr(0, text.rfind(']') + 1);
  return trimmed(std::string_view(text).substr(0, text.find('=')));
}

// toml++ names the wrong table here, so only the place is believed.
void report_redefinition(const Place& place, Diagnostics& diagnostics) {
  const std::string text = line_of(place);
  const std::string name = defined_by(text);
  const Place under{place.source, place.line,
                    code_points(std::string_view(text).substr(0, text.find(name))) + 1, code_points(name)};
  std::string hint = "keep one of the two";
  for (std::uint32_t line = place.line - 1; line > 0; --line) {
    const std::string defined = defined_by(line_of({place.source, line, 1, 1}));
    if (defined.starts_with("[") && !name.starts_with("[")) break;  // above is another table
    if (defined != name) continue;
    hint = fmt::format("it stands already in line {}; keep one of the two", line);
    break;
  }
  diagnostics.add({Fault::syntax, under, fmt::format("{} is defined twice", name), {}, hint});
}

/// What stands to the right of "=" in a line, where that is one value without quotes: `time = 7min`.
struct BareValue {
  std::string key;  ///< as the line writes it
  std::string value;
};

std::optional<BareValue> bare_value(const std::string& line, std::uint32_t column) {
  const auto equals = line.find('=');
  if (equals == std::string::npos || column <= code_points(std::string_view(line).substr(0, equals)))
    return std::nullopt;
  const std::string right = line.substr(equals + 1);
  BareValue result{trimmed(line.substr(0, equals)), trimmed(right.substr(0, right.find('#')))};
  const bool bare = !result.value.empty() && result.value.find_first_of("\"'[]{}=") == std::string::npos;
  if (!bare) return std::nullopt;
  return result;
}

/// The full name of a key that stands in a line.
std::string full_name(const Place& place, const std::string& key) {
  for (std::uint32_t line = place.line; line > 0; --line) {
    const std::string header = defined_by(line_of({place.source, line, 1, 1}));
    if (const std::size_t name = header.find_first_not_of('['); header.starts_with("["))
      return header.substr(name, header.find(']') - name) + "." + key;
  }
  return key;
}

std::string unquoted_hint(const Source& source) {
  if (source.file) return "texts stand in quotes";
  const std::string key = trimmed(source.text.substr(0, source.text.find('=')));
  return fmt::format("texts stand in quotes, and the whole in those of the shell: --set '{}=[\"a\", \"b\"]'",
                     key);
}

void report_value(Place place, std::string message, const Advisor* advisor, Diagnostics& diagnostics) {
  const std::string line = line_of(place);
  const auto bare = bare_value(line, place.column);
  Advisor::Advice advice;
  if (bare &&
      bare->value.find_first_of(" \t") == std::string::npos) {  // what the parser took it for does not help
    const std::size_t at = line.find(bare->value, line.find('='));
    place.column = code_points(std::string_view(line).substr(0, at)) + 1;
    place.length = code_points(bare->value);
    message = "not TOML: this is no value";
  }
  if (bare && advisor)
    advice = advisor->advice(full_name(place, bare->key), bare->value);
  else if (std::ranges::count(line, '"') % 2 != 0)
    advice.hint = "a quote is missing";
  else if (std::ranges::count(line, '[') > std::ranges::count(line, ']') && !place.source->file)
    advice.hint = "a bracket is missing";
  else if (message.ends_with("this is no value"))
    advice.hint = unquoted_hint(*place.source);
  diagnostics.add({Fault::syntax, place, std::move(message), advice.expected, advice.hint});
}

void report_syntax(const Source& source, const toml::parse_error& error, const Advisor* advisor,
                   Diagnostics& diagnostics) {
  Place place = place_of(&source, error.source());
  place.length = 1;
  const std::string text(error.description());
  if (text.find("cannot redefine") != std::string::npos) {
    report_redefinition(place, diagnostics);
    return;
  }
  constexpr std::string_view prefix = "Error while parsing ";
  if (text.find("not representable in 64 bits") != std::string::npos) {
    const auto bare = bare_value(line_of(place), place.column);
    Advisor::Advice advice;
    if (bare && advisor) advice = advisor->advice(full_name(place, bare->key), bare->value + ".0");
    if (advice.expected.empty()) advice.expected = "-9223372036854775808 to 9223372036854775807";
    diagnostics.add(
        {Fault::syntax, place, "this number is too large for an integer", advice.expected, advice.hint});
    return;
  }
  std::string shown = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  if (text.find("could not determine value type") != std::string::npos) shown = "this is no value";
  report_value(place, "not TOML: " + shown, advisor, diagnostics);
}

// The reader of TOML recurses over dotted keys without a limit, so a long one is found before it reads. A dot
// outside quotes and a bracket go one level down; a comma and the end of a line come back to the last
// bracket. A number's dot counts, too, and does not matter.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  /// Where it is deeper than the limit; npos where it never is.
  std::size_t too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      step(c);
      if (depth_ > most_nested) return at_;
      ++at_;
    }
    return std::string_view::npos;
  }

 private:
  void step(char c) {
    if (c == '[' || c == '{') open_.push_back(depth_++);
    if (c == '.') ++depth_;
    if (c == ',' || c == '\n') depth_ = open_.empty() ? 0 : open_.back() + 1;
    if ((c != ']' && c != '}') || open_.empty()) return;
    depth_ = open_.back();
    open_.pop_back();
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multiline = text_.substr(at_).starts_with(triple);
    at_ += multiline ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (multiline && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        for (int own = 0; own < 2 && text_.substr(at_).starts_with(quote); ++own)
          ++at_;  // """a""""" ends in a""
        return;
      } else if (!multiline && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      }
    }
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::vector<std::size_t> open_;  ///< the depth before each open bracket
};

/// In all tables.
std::size_t count_keys(const toml::node& node) {
  std::size_t count = 0;
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table) count += 1 + count_keys(value);
  if (const auto* array = node.as_array())
    for (const toml::node& element : *array) count += count_keys(element);
  return count;
}

Place place_at(const Source& source, std::size_t offset) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {&source, line, code_points(before.substr(line_start)) + 1, 1};
}

}  // namespace

std::size_t nested_too_deep(std::string_view toml) {
  return NestingScan(toml).too_deep();
}

std::optional<Table> read_toml(const Source& source, Diagnostics& diagnostics, const Advisor* advisor) {
  if (const std::size_t deep = nested_too_deep(source.text); deep != std::string_view::npos) {
    diagnostics.add({Fault::syntax,
                     place_at(source, deep),
                     fmt::format("keys and brackets are nested more than {} deep here", most_nested),
                     {},
                     "no key of an experiment has more than four parts"});
    return std::nullopt;
  }
  try {
    const toml::table table = toml::parse(std::string_view(source.text), std::string_view(source.name));
    if (count_keys(table) <= most_keys) return convert(&source, table);
    diagnostics.add(
        {Fault::syntax, {&source, 1, 1, 1}, fmt::format("the file has more than {} keys", most_keys)});
    return std::nullopt;
  } catch (const toml::parse_error& error) {
    report_syntax(source, error, advisor, diagnostics);
    return std::nullopt;
  }
}

std::optional<TomlNode> read_toml_value(const std::string& text, const Source* source) {
  if (NestingScan(text).too_deep() != std::string_view::npos) return std::nullopt;
  try {
    const toml::table table = toml::parse(std::string_view("v=" + text));
    if (table.size() == 1) return convert(source, *table.get("v"));
  } catch (const toml::parse_error&) {
  }
  return std::nullopt;
}

}  // namespace halfling::config
