// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cctype>

#include "base/printable.hpp"

namespace halfling::html {
namespace {

// Colours that stay apart on paper, in the dark and for weak eyes (contrast of text at least 4.5). Pictures
// of gnuplot are made for white paper: in the dark they are inverted, hues kept; grids of images stay as they
// are.
constexpr std::string_view style =
    ":root{color-scheme:light dark;--ink:#1c1c1c;--soft:#595959;--paper:#fff;--line:#dcdcdc;--shade:#f4f4f4}"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#ababab;--paper:#121212;"
    "--line:#3a3a3a;--shade:#1f1f1f}img.plot{filter:invert(.93) hue-rotate(180deg)}}"
    "*{box-sizing:border-box}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1800px;padding:1.5em;color:var(--ink);"
    "background:var(--paper)}"
    "h1{font-size:1.55em;line-height:1.3;max-width:36em;margin:.2em 0 .5em;overflow-wrap:anywhere}"
    "h2{font-size:1.2em;margin:2em 0 .6em;border-bottom:1px solid var(--line)}h3{font-size:1em;margin:.8em 0 "
    ".4em}"
    "p,ul{max-width:60em}p,li{overflow-wrap:anywhere}ul{padding-left:1.2em}"
    ".soft,figcaption{color:var(--soft)"
    "}"
    ".wide{overflow-x:auto;margin:.6em 0}"
    "table{border-collapse:collapse;font-size:.87em;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25em .55em;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}"
    "thead th{background:var(--shade);vertical-align:bottom}"
    "tbody th{font-weight:inherit;overflow-wrap:break-word}"
    "tbody th,thead "
    "th:first-child{text-align:left;position:sticky;left:0;"
    "background:var(--paper);min-width:8em}thead "
    "th:first-child{background:var(--shade)}"
    ".facts td,.facts th{text-align:left}.facts td{overflow-wrap:anywhere}"
    "@media(min-width:601px){table:not(.facts *) td{white-space:nowrap}tbody th{min-width:13em}}"
    "figure{margin:0}figcaption{font-size:.8em;overflow-wrap:anywhere}"
    // Equal columns, as many as leave each figure readable, however long a run's name is.
    ".figures,.side{display:grid;gap:1.5em;align-items:start}"
    ".figures{grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr))}"
    ".side{align-items:end;grid-template-columns:repeat(auto-fill,minmax(min(280px,100%),1fr))}"
    ".figures>*,.side>*{min-width:0;max-width:720px}h3{overflow-wrap:anywhere}"
    "img{display:block;max-width:100%;height:auto}.figures img,.side img{width:100%}"
    ".classes{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;padding:0 "
    "1%;font-size:11px;line-height:1.1}"
    ".classes span{writing-mode:vertical-rl;transform:rotate(180deg);justify-self:center;max-height:9em}"
    // Numbers of the rows beside them: both take the height that the picture has, below the heads.
    ".strip{display:grid;grid-template-columns:auto 1fr;gap:.5em;align-items:end}"
    ".strip>div{display:contents}.strip .classes{grid-column:2;grid-row:1}"
    ".strip ol{grid-row:2;align-self:stretch;list-style:none;margin:0;padding:1% 0;display:grid;"
    "grid-auto-rows:1fr;align-items:center;text-align:right;font-size:.8em;color:var(--soft)}"
    ".strip img{grid-column:2;grid-row:2}"
    "code{background:var(--shade);overflow-wrap:anywhere}"
    "@media(max-width:600px){body{padding:1em .7em}h1{font-size:1.25em}h2{margin-top:1.4em}"
    "th,td{padding:.25em .35em}tbody th,thead th:first-child{min-width:6.5em;max-width:9em}}"
    "@page{size:A4;margin:12mm}"
    "@media print{body{padding:0;font-size:10pt}.wide{overflow:visible}table{font-size:7pt;width:100%}"
    "th,td{padding:.2em .3em}td{overflow-wrap:anywhere}tbody th,thead "
    "th:first-child{position:static;min-width:0}"
    "thead{display:table-header-group}tr,figure,.side>*{break-inside:avoid}h2,h3,h2+p,h3+p{break-after:avoid}"
    "thead th{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
    ".figures{grid-template-columns:1fr 1fr}.side{grid-template-columns:repeat(3,1fr)}}";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) switch (c) {
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
      case '\'':
        result += "&#39;";
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

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(" -_.,;:=/()").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string picture(std::string_view png, std::string_view description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">\n", escaped(description),
                     base64(png));
}

std::string plot(std::string_view svg, std::string_view description) {
  return fmt::format("<img class=\"plot\" alt=\"{}\" src=\"data:image/svg+xml,{}\">\n", escaped(description),
                     percent_encoded(svg));
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view name) {
  // A region that takes the focus: a keyboard can scroll it, too.
  std::string result = fmt::format(
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>\n<thead>", escaped(name));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    result += "<tr>";
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const char* tag = row == 0 ? "th scope=\"col\"" : column == 0 ? "th scope=\"row\"" : "td";
      result +=
          fmt::format("<{}>{}</{}>", tag, escaped(rows[row][column]), row == 0 || column == 0 ? "th" : "td");
    }
    result += row == 0 ? "</tr></thead>\n<tbody>" : "</tr>\n";
  }
  return result + "</tbody></table></div>\n";
}

std::string paragraph(std::string_view text) {
  return "<p>" + escaped(text) + "</p>\n";
}

std::string list(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string result = "<ul>\n";
  for (const std::string& text : texts) result += "<li>" + escaped(text) + "</li>\n";
  return result + "</ul>\n";
}

std::string document(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0} - halfling report</title>"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{1}</style></head>\n"
      "<body><main>\n{2}</main></body></html>\n",
      escaped(title), style, body);
}

}  // namespace halfling::html
