// SPDX-License-Identifier: Apache-2.0
#include "measure/price.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "experiment/toml_reader.hpp"
#include "halfling/error.hpp"
#include "measure/price_list.hpp"

namespace halfling {
namespace {

constexpr const char* form = "a price like \"0.35 USD/h\"";

Error bad_list(const std::string& file, const toml::source_region& at, std::string what, std::string got,
               std::string expected) {
  return Error({.what = std::move(what),
                .where = fmt::format("{}:{}:{}", file, at.begin.line, at.begin.column),
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = "a price list has a table for each name: per_hour, what, source, date",
                .kind = ErrorKind::usage});
}

/// The texts of a row. Only the price must be there.
Price row_of(const std::string& name, const toml::table& row, const std::string& file) {
  Price price;
  std::string per_hour;
  const std::pair<const char*, std::string*> keys[] = {
      {"per_hour", &per_hour}, {"what", &price.what}, {"source", &price.source}, {"date", &price.date}};
  for (const auto& [key, node] : row) {
    const auto known = std::ranges::find(keys, std::string_view(key.str()),
                                         [](auto& k) { return std::string_view(k.first); });
    if (known == std::end(keys))
      throw bad_list(file, key.source(), "a price has no such key", std::string(key.str()),
                     "per_hour, what, source or date");
    if (!node.is_string())
      throw bad_list(file, node.source(), "a value of a price is no text",
                     name + "." + std::string(key.str()), "a text in quotes");
    *known->second = node.value_or(std::string());
  }
  const std::optional<Price> parsed = parse_price(per_hour);
  if (!parsed)
    throw bad_list(file, row.source(), "a price list has a row without a price",
                   name + ".per_hour = \"" + per_hour + "\"", form);
  price.per_hour = parsed->per_hour;
  price.currency = parsed->currency;
  price.name = name;
  return price;
}

std::vector<Price> own_list(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& got) {
    throw Error({.what = "a price list cannot be read",
                 .where = "cost.prices",
                 .got = got,
                 .expected = "a TOML file with a table for each price",
                 .hint = {},
                 .kind = ErrorKind::usage});
  };
  std::optional<std::string> text;
  try {
    text = read_file(file, largest_document);
  } catch (const Error& error) {
    refuse(file.string() + ": " + error.details().got);
  }
  if (!text) refuse(file.string());
  return parse_price_list(*text, file.string());
}

}  // namespace

std::string price_text(const Price& price) {
  return fmt::format("{} {}/h", price.per_hour, price.currency);
}

std::string price_and_name(const Price& price) {
  std::string text = price_text(price);
  if (!price.name.empty()) text += " (" + price.name + (price.date.empty() ? "" : ", " + price.date) + ")";
  return text;
}

std::optional<Price> parse_price(std::string_view text) {
  Price price;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price.per_hour);
  if (error != std::errc() || !std::isfinite(price.per_hour) || price.per_hour <= 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.size() != 5 || !text.ends_with("/h")) return std::nullopt;
  price.currency = text.substr(0, 3);
  const auto upper = [](unsigned char c) { return std::isupper(c) != 0; };
  if (!std::ranges::all_of(price.currency, upper)) return std::nullopt;
  return price;
}

std::vector<Price> parse_price_list(const std::string& toml, const std::string& file) {
  if (config::nested_too_deep(toml) != std::string::npos)
    throw bad_list(file, {{1, 1}, {1, 1}, nullptr}, "a price list is nested too deep", {},
                   "a table for each price");
  try {
    std::vector<Price> prices;
    for (const auto& [name, node] : toml::parse(toml, file)) {
      const toml::table* row = node.as_table();
      if (row == nullptr)
        throw bad_list(file, node.source(), "a price list has a value beside its tables",
                       std::string(name.str()), "[NAME], then per_hour, what, source, date");
      prices.push_back(row_of(std::string(name.str()), *row, file));
    }
    return prices;
  } catch (const toml::parse_error& error) {
    throw bad_list(file, error.source(), "a price list is no TOML", std::string(error.description()),
                   "a table for each price");
  }
}

std::vector<Price> shipped_price_list() {
  return parse_price_list(shipped_prices, "prices.toml");
}

Price find_price(const std::string& text, const std::optional<std::filesystem::path>& own) {
  if (const auto stated = parse_price(text)) return *stated;
  std::vector<Price> prices = own ? own_list(*own) : std::vector<Price>();
  for (const Price& price : shipped_price_list()) prices.push_back(price);
  const auto found = std::ranges::find(prices, text, &Price::name);  // one's own before the shipped
  if (found != prices.end()) return *found;
  std::vector<std::string> names;
  for (const Price& price : prices) names.push_back(price.name);
  throw Error({.what = "no price list has this price",
               .where = "cost.price",
               .got = text,
               .expected = fmt::format("{}, or one of {}", form, fmt::join(names, ", ")),
               .hint = did_you_mean(text, names),
               .kind = ErrorKind::usage});
}

}  // namespace halfling
