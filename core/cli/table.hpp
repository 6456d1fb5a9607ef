// SPDX-License-Identifier: Apache-2.0
// Text in aligned columns, which can give way to a narrow terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halfling::cli {

using Row = std::vector<std::string>;

/// What a table does to become narrower. `column` is a heading.
struct Narrowing {
  enum class How {
    drop,       ///< the column disappears
    cut_end,    ///< its texts end in "…"
    cut_begin,  ///< its texts begin with "…": for paths, whose end tells more
    fold        ///< its texts go on in lines below, in whole words
  };
  std::string column;
  How how;
  std::size_t least = 12;  ///< characters that stay of a cut or folded column
};

/// Columns that fit on stdout: COLUMNS where it is set, else the terminal's; no limit where stdout is a file
/// or a pipe.
std::size_t output_width();

/// The lines of a text in lines that fit `width`, of whole words; a line's indent is that of its parts.
std::string wrapped(const std::string& text, std::size_t width);

/// "332.3 MiB", "1.2 GiB".
std::string size_text(std::uint64_t bytes);

/// One line per row, the first row being the heading; columns are two blanks apart, and lines have no blanks
/// at their ends. Rows may be shorter than others. Control characters are escaped.
std::string table(const std::vector<Row>& rows);
/// The same within `width`: the steps are taken in order, and only those that are needed. A last line names
/// the columns that were dropped, but for empty ones.
std::string table(std::vector<Row> rows, std::size_t width, const std::vector<Narrowing>& steps);

}  // namespace halfling::cli
