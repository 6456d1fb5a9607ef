// SPDX-License-Identifier: Apache-2.0
#include "report/figure.hpp"

#include <fmt/format.h>

#include <boost/process.hpp>
#include <fstream>
#include <iterator>

#include "report/atomic_file.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;
namespace bp = boost::process;

void write_text(const fs::path& file, const std::string& text) {
  AtomicFile output(file);
  output.write(text);
  output.commit();
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
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
  return fmt::format(
      "# Draw again: gnuplot {0}.gp\n"
      "set terminal svg size {1},{2} fixed font 'sans-serif,12' background 'white'\n"
      "set output '{0}.svg'\n"
      "set datafile separator '\\t'\n"
      "set border lc rgb '#666666'\n"
      "set grid xtics lc rgb '#e4e4e4' lt 1\n",
      name, width, height);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    if (c != '\n' && c != '\t') result += c;
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
  if (run_gnuplot(folder, script)) drawn.svg = read_text(picture);
  return drawn;
}

}  // namespace halfling
