// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "base/printable.hpp"

namespace halfling::cli {
namespace {

constexpr std::size_t gap = 2;

// UTF-8 continuation bytes take no place.
bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

/// Byte at which character `index` begins.
std::size_t offset(const std::string& text, std::size_t index) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (begins_character(text[i]) && seen++ == index) return i;
  return text.size();
}

std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

std::string cut(const std::string& text, std::size_t limit, bool at_end) {
  const std::size_t characters = width(text);
  if (characters <= limit) return text;
  return at_end ? text.substr(0, offset(text, limit - 1)) + "…"
                : "…" + text.substr(offset(text, characters - limit + 1));
}

/// Lines of whole words; a word that is longer than a line has a line of its own, and loses its beginning: of
/// "precision.use=mixed" the end tells more.
std::vector<std::string> folded(const std::string& text, std::size_t limit) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > limit) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + cut(word, limit, false);
  }
  return lines;
}

std::vector<Row> fold(const std::vector<Row>& rows, std::size_t column, std::size_t limit) {
  std::vector<Row> result;
  for (const Row& row : rows) {
    const auto lines = folded(row[column], limit);
    result.push_back(row);
    result.back()[column] = lines.front();
    for (std::size_t i = 1; i < lines.size(); ++i) {
      result.emplace_back(row.size());
      result.back()[column] = lines[i];
    }
  }
  return result;
}

/// As many cells in every row, and nothing in them that a terminal would obey.
std::vector<Row> rectangle(std::vector<Row> rows) {
  const std::size_t columns = widths_of(rows).size();
  for (Row& row : rows) {
    row.resize(columns);
    for (std::string& cell : row) cell = printable(cell);
  }
  return rows;
}

/// Whether something was there to be seen.
bool drop(std::vector<Row>& rows, std::size_t column) {
  bool seen = false;
  for (Row& row : rows) {
    seen = seen || (&row != &rows.front() && !row[column].empty());
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return seen;
}

void take(const Narrowing& step, std::vector<Row>& rows, std::size_t excess,
          std::vector<std::string>& hidden) {
  using How = Narrowing::How;
  const auto found = std::ranges::find(rows.front(), step.column);
  if (found == rows.front().end()) return;
  const auto column = static_cast<std::size_t>(found - rows.front().begin());
  if (step.how == How::drop) {
    if (drop(rows, column)) hidden.push_back(step.column);
    return;
  }
  const std::size_t now = widths_of(rows)[column];
  const std::size_t limit = std::max({step.least, width(step.column), now > excess ? now - excess : 0});
  if (step.how == How::fold)
    rows = fold(rows, column, limit);
  else
    for (Row& row : rows) row[column] = cut(row[column], limit, step.how == How::cut_end);
}

std::string hidden_text(const std::vector<std::string>& hidden) {
  if (hidden.empty()) return {};
  std::string text = "hidden: ";
  for (const std::string& column : hidden) text += column + (column == hidden.back() ? "" : ", ");
  return text + "; COLUMNS=200 shows more\n";
}

std::size_t total(const std::vector<Row>& rows) {
  std::size_t sum = 0;
  for (const std::size_t width : widths_of(rows)) sum += width + gap;
  return sum == 0 ? 0 : sum - gap;
}

}  // namespace

std::size_t output_width() {
  const char* columns = std::getenv("COLUMNS");
  if (const long given = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10); given > 0)
    return static_cast<std::size_t>(given);
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::numeric_limits<std::size_t>::max();
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(
        line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' '), ' ');
    for (const std::string& part : folded(line, width > indent.size() ? width - indent.size() : 1))
      result += indent + part + "\n";
  }
  return result;
}

std::string table(const std::vector<Row>& given) {
  const std::vector<Row> rows = rectangle(given);
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width(row[i]) + gap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string table(std::vector<Row> rows, std::size_t width, const std::vector<Narrowing>& steps) {
  rows = rectangle(std::move(rows));
  std::vector<std::string> hidden;
  for (const Narrowing& step : steps) {
    const std::size_t needed = total(rows);
    if (needed <= width) break;
    take(step, rows, needed - width, hidden);
  }
  return table(rows) + wrapped(hidden_text(hidden), width);
}

std::string size_text(std::uint64_t bytes) {
  const double mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

}  // namespace halfling::cli
