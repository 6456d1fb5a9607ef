// SPDX-License-Identifier: Apache-2.0
#include "strokes_file.hpp"

#include <algorithm>

#include "halfling/error.hpp"
#include "strokes.hpp"

namespace halfling {

namespace {

constexpr std::int64_t longest_line = 1 << 20;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

}  // namespace

StrokesFile::StrokesFile(const std::string& file, int size)
    : file_(file, "a simplified file of Quick, Draw!"), size_(size) {
  find_lines();
  if (begins_.empty())
    throw Error({.what = "a data file has no drawing",
                 .where = file,
                 .got = std::to_string(file_.size()) + " blank bytes",
                 .expected = "a line of JSON for each drawing",
                 .hint = "fetch it again",
                 .kind = ErrorKind::usage});
}

/// One pass over the file: begin, first and last character of each line that is not blank.
void StrokesFile::find_lines() {
  std::vector<std::uint8_t> block(1 << 20);
  std::int64_t begin = -1;
  char first = 0, last = 0;
  for (std::int64_t at = 0; at < file_.size();) {
    const std::size_t count = file_.read_some(at, block);
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i, ++at) {
      const char c = static_cast<char>(block[i]);
      if (c == '\n') {
        if (begin >= 0) add_line(begin, at, first, last);
        begin = -1;
      } else if (!is_blank(c)) {
        if (begin < 0) begin = at, first = c;
        last = c;
      }
    }
  }
  if (begin >= 0) add_line(begin, file_.size(), first, last);
}

void StrokesFile::add_line(std::int64_t begin, std::int64_t end, char first, char last) {
  const bool object = first == '{' && last == '}';
  if (!object || end - begin > longest_line)
    throw Error({.what = object ? "a line is longer than a drawing can be" : "a line is no drawing",
                 .where = file_.place(begin),
                 .got = object ? std::to_string(end - begin) + " bytes"
                               : std::string("a line from '") + first + "' to '" + last + "'",
                 .expected = object ? "at most 1 MiB" : "a line of JSON, {...}",
                 .hint = first == '<'
                             ? "this looks like a web page saved in the place of the data; fetch the file"
                             : "the file is damaged, or was saved incompletely; fetch it again",
                 .kind = ErrorKind::usage});
  begins_.push_back(begin);
  end_ = end;
}

void StrokesFile::read(std::int64_t row, std::span<std::uint8_t> to) const {
  const auto place = static_cast<std::size_t>(row);
  const std::int64_t begin = begins_[place];
  const std::int64_t end = place + 1 < begins_.size() ? begins_[place + 1] : end_;
  std::string line(static_cast<std::size_t>(end - begin), '\0');
  file_.read(begin, {reinterpret_cast<std::uint8_t*>(line.data()), line.size()});
  render(parse_strokes(line, file_.place(begin)), size_, to);
}

}  // namespace halfling
