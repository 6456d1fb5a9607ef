// SPDX-License-Identifier: Apache-2.0
// A figure as gnuplot draws it: its numbers and its script stay beside the picture and can be run again.
#pragma once

#include <filesystem>
#include <string>

namespace halfling {

struct Figure {
  std::string name;    ///< of the files: <name>.tsv, <name>.gp, <name>.svg
  std::string table;   ///< tab-separated numbers
  std::string script;  ///< for gnuplot; begins with figure_start
};

struct DrawnFigure {
  std::string svg;      ///< empty where gnuplot is not installed or failed
  std::string command;  ///< what draws it again
};

/// Pixels: two beside each other in a common window, and letters that stay readable when a phone shrinks one.
inline constexpr int figure_width = 560;
inline constexpr int key_row = 18;  ///< an entry of the key over a figure

/// Terminal, output file and colours that all figures share. Sizes in pixels.
std::string figure_start(const std::string& name, int width, int height);
/// "lt 1 dt 1": the same number looks the same in all figures.
std::string line_style(std::size_t number);
/// A key of so many entries over a figure of `height` pixels, one below the other: names are long.
std::string key_over(std::size_t entries, int height);
/// Text between gnuplot's quotation marks, nothing of it a command or a sign of its enhanced text.
std::string quoted(const std::string& text);

/// Writes the files into a folder, which exists, and runs gnuplot. Throws Error where a file cannot be
/// written.
DrawnFigure draw(const std::filesystem::path& folder, const Figure& figure);

}  // namespace halfling
