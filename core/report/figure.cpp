// SPDX-License-Identifier: Apache-2.0
#include "report/figure.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/process.hpp>
#include <fstream>
#include <iterator>

#include "base/atomic_file.hpp"
#include "base/printable.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;
namespace bp = boost::process;

// Okabe and Ito 2008, for eyes that tell few colours apart; without their yellow, which is too pale for a
// line, with a gray. A second sign, for print in gray: the shape of the points.
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                             "#56B4E9", "#E69F00", "#000000", "#888888"};
constexpr std::array points{7, 5, 9, 11, 6, 4, 8, 10};
constexpr std::size_t dashes = 5;  // of gnuplot; runs beyond the colours are told by dashes

void write_text(const fs::path& file, const std::string& text) {
  AtomicFile output(file);
  output.write(text);
  output.commit();
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void remove_all(std::string& text, std::string_view part, std::string_view instead = "") {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + instead.size()))
    text.replace(at, part.size(), instead);
}

/// With the groups around them: marks of an axis without numbers.
void remove_empty_texts(std::string& svg) {
  constexpr std::string_view empty = "<text></text>", close = "</g>";
  for (std::size_t at = svg.find(empty); at != std::string::npos; at = svg.find(empty, at)) {
    const std::size_t begin = svg.rfind("<g ", at), end = svg.find(close, at);
    if (begin == std::string::npos || end == std::string::npos) return;
    svg.erase(begin, end + close.size() - begin);
    at = begin;
  }
}

/// The same picture in about half the bytes: gnuplot puts what all parts have in common around each of them,
/// also around nothing.
std::string compact(std::string svg) {
  constexpr std::string_view common =
      " fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
      "stroke-linejoin=\"miter\"";
  const std::string group = "<g" + std::string(common) + ">";
  remove_all(svg, group + "\n</g>\n");
  remove_all(svg, group, "<g>");
  remove_all(svg, "\t");
  remove_empty_texts(svg);
  remove_all(svg, "fill=\"#ffffff\"/>", "fill=\"#ffffff\" stroke=\"none\"/>");  // the paper has no border
  if (const std::size_t root = svg.find("<svg"); root != std::string::npos) svg.insert(root + 4, common);
  return svg;
}

/// False where it is not installed or fails; `env` looks it up.
bool run_gnuplot(const fs::path& folder, const std::string& script) {
  std::error_code error;
  const int status = bp::system("/usr/bin/env", "gnuplot", script, bp::start_dir(folder.string()),
                                bp::std_out > bp::null, bp::std_err > bp::null, bp::std_in < bp::null, error);
  return !error && status == 0;
}

}  // namespace

std::string figure_start(const std::string& name, int width, int height) {
  std::string text = fmt::format(
      "# Draw again: gnuplot {0}.gp\n"
      "set terminal svg size {1},{2} fixed font 'sans-serif,13' background 'white'\n"
      "set output '{0}.svg'\n"
      "set datafile separator '\\t'\n"
      "set datafile missing '?'\n"
      "set border lc rgb '#666666'\n"
      "set grid lc rgb '#e4e4e4' lt 1\n",
      name, width, height);
  for (std::size_t i = 0; i < colours.size(); ++i)
    text += fmt::format("set linetype {} lc rgb '{}' pt {}\n", i + 1, colours[i], points[i]);
  return text;
}

std::string line_style(std::size_t number) {
  return fmt::format("lt {} dt {}", number % colours.size() + 1, number / colours.size() % dashes + 1);
}

std::string key_over(std::size_t entries, int height) {
  return fmt::format(
      "set key at screen 0.02, screen {:.4f} left top Left reverse vertical maxrows {} maxcols 1 font ',12' "
      "noenhanced\n",
      1 - 6.0 / height, entries);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    if (c == '\'') result += '\'';
    if (c != '\t') result += c;
  }
  return result + "'";
}

DrawnFigure draw(const fs::path& folder, const Figure& figure) {
  const std::string script = figure.name + ".gp";
  write_text(folder / (figure.name + ".tsv"), figure.table);
  write_text(folder / script, figure.script);
  const fs::path picture = folder / (figure.name + ".svg");
  std::error_code none;
  fs::remove(picture, none);
  DrawnFigure drawn{{}, fmt::format("(cd '{}' && gnuplot {})", folder.string(), script)};
  if (run_gnuplot(folder, script)) drawn.svg = compact(read_text(picture));
  return drawn;
}

}  // namespace halfling
