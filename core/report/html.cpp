// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>

namespace halfling::html {
namespace {

constexpr std::string_view style =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1800px;padding:0 1.5em;color:#222}"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid #ddd}h3{font-size:1em}"
    "table{border-collapse:collapse;font-size:.87em;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .55em;text-align:right;border-bottom:1px solid #eee}"
    "th{background:#f5f5f5;white-space:nowrap}th:first-child,td:first-child{text-align:left;min-width:14em}"
    ".side{display:flex;flex-wrap:wrap;gap:1.5em}.side>div{flex:0 1 auto;max-width:100%}"
    ".side h3{width:0;min-width:100%}"  // as wide as what is below, however long a run's name is
    // Equal columns, as many as leave each figure readable, however long a run's name is.
    ".figures{display:grid;gap:1.5em;grid-template-columns:repeat(auto-fit,minmax(min(560px,100%),1fr))}"
    ".figures>div{min-width:0;max-width:860px}.figures h3{overflow-wrap:anywhere}.figures img{width:100%}"
    "img{max-width:100%;height:auto}code{background:#f5f5f5}p{max-width:60em}.wide{overflow-x:auto}";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string base64(std::string_view bytes) {
  namespace it = boost::archive::iterators;
  using Digits = it::base64_from_binary<it::transform_width<const char*, 6, 8>>;
  std::string padded(bytes);  // the iterator reads whole groups of three
  padded.append((3 - bytes.size() % 3) % 3, '\0');
  std::string result(Digits(padded.data()), Digits(padded.data() + padded.size()));
  std::fill_n(result.rbegin(), padded.size() - bytes.size(), '=');
  return result;
}

std::string image(std::string_view type, std::string_view bytes, std::string_view description) {
  return fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\">\n", escaped(description), type,
                     base64(bytes));
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string result = "<div class=\"wide\"><table>\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    result += "<tr>";
    for (const std::string& cell : rows[row])
      result += fmt::format("<{0}>{1}</{0}>", row == 0 ? "th" : "td", escaped(cell));
    result += "</tr>\n";
  }
  return result + "</table></div>\n";
}

std::string document(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{1}</style></head>\n"
      "<body><h1>{0}</h1>\n{2}</body></html>\n",
      escaped(title), style, body);
}

}  // namespace halfling::html
