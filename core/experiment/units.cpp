// SPDX-License-Identifier: Apache-2.0
#include "experiment/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace halfling::config {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// Takes "<number><unit>" from the front of the text.
struct Quantity {
  double number = 0;
  std::string_view unit;
};
std::optional<Quantity> take_quantity(std::string_view& text) {
  Quantity quantity;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number, std::chars_format::fixed);
  if (error != std::errc{} || std::signbit(quantity.number) || !std::isfinite(quantity.number))
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && std::isalpha(static_cast<unsigned char>(text[length]))) ++length;
  quantity.unit = text.substr(0, length);
  text.remove_prefix(length);
  return quantity;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  // Parts of a second are divided, so that "250ms" is the double nearest to 0.25.
  double seconds = 0;
  int last = -1;
  while (last < 0 || !text.empty()) {
    const auto quantity = take_quantity(text);
    if (!quantity) return std::nullopt;
    const std::string_view unit = quantity->unit;
    const int rank = unit == "h"                    ? 0
                     : unit == "min" || unit == "m" ? 1
                     : unit == "s"                  ? 2
                     : unit == "ms"                 ? 3
                                                    : -1;
    if (rank <= last) return std::nullopt;
    last = rank;
    constexpr double factors[] = {3600, 60, 1};
    seconds += rank == 3 ? quantity->number / 1000 : quantity->number * factors[rank];
    if (text.starts_with(' ') && text.size() > 1) text.remove_prefix(1);
  }
  if (!std::isfinite(seconds)) return std::nullopt;
  return seconds;
}

std::string format_duration(double seconds) {
  if (seconds == std::floor(seconds) && seconds < 1e12) {
    const auto whole = static_cast<std::int64_t>(seconds);
    const std::int64_t parts[] = {whole / 3600, whole / 60 % 60, whole % 60};
    constexpr const char* units[] = {"h", "min", "s"};
    std::string text;
    for (int i = 0; i < 3; ++i)
      if (parts[i]) text += fmt::format("{}{}", parts[i], units[i]);
    return text.empty() ? "0s" : text;
  }
  const double milliseconds = std::round(seconds * 1000);
  if (milliseconds < 1e6 && milliseconds / 1000 == seconds)
    return fmt::format("{}ms", static_cast<std::int64_t>(milliseconds));
  char digits[400];  // fixed notation: the reader takes no exponents here
  const auto end = std::to_chars(digits, digits + sizeof digits, seconds, std::chars_format::fixed).ptr;
  return std::string(digits, end) + "s";
}

namespace {
constexpr Unit size_units[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"B", 1},
                               {"TB", 1e12},    {"GB", 1e9},     {"MB", 1e6},     {"kB", 1e3}};
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto quantity = take_quantity(text);
  if (!quantity || !text.empty()) return std::nullopt;
  for (const Unit& unit : size_units) {
    if (quantity->unit != unit.name) continue;
    const double bytes = quantity->number * unit.factor;
    if (bytes != std::floor(bytes) || bytes > 0x1p53) return std::nullopt;
    return static_cast<std::int64_t>(bytes);
  }
  return std::nullopt;
}

std::string format_size(std::int64_t bytes) {
  for (const Unit& unit : size_units) {
    const auto factor = static_cast<std::int64_t>(unit.factor);
    if (bytes && bytes % factor == 0) return fmt::format("{}{}", bytes / factor, unit.name);
  }
  return "0B";
}

std::optional<Interval> parse_interval(std::string_view text) {
  if (text.ends_with("it")) {
    std::int64_t count = 0;
    const char* last = text.data() + text.size() - 2;
    const auto [end, error] = std::from_chars(text.data(), last, count);
    if (error != std::errc{} || end != last || count < 1) return std::nullopt;
    return Interval{0, count};
  }
  const auto seconds = parse_duration(text);
  if (!seconds || *seconds <= 0) return std::nullopt;
  return Interval{*seconds, 0};
}

std::string format_interval(const Interval& interval) {
  return interval.iterations ? fmt::format("{}it", interval.iterations) : format_duration(interval.seconds);
}

std::optional<TrainingLength> parse_length(std::string_view text) {
  const auto quantity = take_quantity(text);
  if (!quantity || quantity->number <= 0) return std::nullopt;
  const double number = quantity->number;
  const bool whole = number == std::floor(number) && number <= 0x1p53;
  TrainingLength length;
  if (quantity->unit.empty() && text == "%" && number <= 100)
    length.percent = number;
  else if (!text.empty())
    return std::nullopt;
  else if (quantity->unit == "it" && whole)
    length.iterations = static_cast<std::int64_t>(number);
  else if (quantity->unit == "samples" && whole)
    length.samples = static_cast<std::int64_t>(number);
  else if (quantity->unit == "ep" && number <= 0x1p53)
    length.epochs = number;
  else
    return std::nullopt;
  return length;
}

std::string format_length(const TrainingLength& length) {
  if (length.iterations) return fmt::format("{}it", length.iterations);
  if (length.samples) return fmt::format("{}samples", length.samples);
  const double number = length.epochs > 0 ? length.epochs : length.percent;
  char digits[400];  // fixed notation: the reader takes no exponents here
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
  return std::string(digits, end) + (length.epochs > 0 ? "ep" : "%");
}

std::string format_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace halfling::config
