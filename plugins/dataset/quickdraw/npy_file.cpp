// SPDX-License-Identifier: Apache-2.0
#include "npy_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "halfling/error.hpp"
#include "npy_header.hpp"

namespace halfling {

namespace {

constexpr std::int64_t longest_header = 1 << 16;

[[noreturn]] void refuse(const std::string& file, const char* what, std::string got, std::string expected,
                         const char* hint) {
  throw Error({.what = what,
               .where = file,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = hint,
               .kind = ErrorKind::usage});
}

struct HeaderPlace {
  std::int64_t begin, end;
};

HeaderPlace find_header(const std::string& file, std::string_view first) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!first.starts_with(magic)) {
    const std::size_t text = first.find_first_not_of(" \t\r\n");
    const bool page = text != first.npos && first[text] == '<';
    refuse(file, "this is not a numpy array", "a file that begins otherwise", "the first bytes \\x93NUMPY",
           page ? "this looks like a web page saved in the place of the data; fetch the file itself"
                : "these are other data; check the path");
  }
  const auto byte = [&](std::size_t at) -> std::int64_t {
    return at < first.size() ? static_cast<unsigned char>(first[at]) : 0;
  };
  const std::int64_t version = byte(6);
  if (version < 1 || version > 3) {
    refuse(file, "this numpy format is unknown", "version " + std::to_string(version), "1, 2 or 3", "");
  }
  const std::int64_t begin = version == 1 ? 10 : 12;
  std::int64_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  return {begin, begin + length};
}

bool is_bitmap(std::vector<std::int64_t> extents) {
  std::erase(extents, 1);
  return extents == std::vector<std::int64_t>{784} || extents == std::vector<std::int64_t>{28, 28};
}

/// Rows of an accepted header, 0 of any other.
std::int64_t rows_of(std::string_view text) {
  const auto header = parse_npy_header(text);
  if (!header || !is_unsigned_byte(header->descr) || header->fortran_order || header->shape.empty()) return 0;
  const std::int64_t rows = header->shape.front();
  const bool countable = rows <= INT64_MAX / NpyFile::row_bytes;  // few enough that their bytes can be
  return countable && is_bitmap({header->shape.begin() + 1, header->shape.end()}) ? rows : 0;
}

}  // namespace

NpyFile::NpyFile(const std::string& file) : file_(file, "a numpy array") {
  const std::string header = read_header();
  rows_ = rows_of(header);
  if (rows_ == 0) {
    refuse(file, "this numpy array holds no 28x28 bitmaps",
           header.substr(0, std::min<std::size_t>(header.find('}') + 1, 400)),
           "uint8 in C order, shape (N, 784), (N, 28, 28) or (N, 28, 28, 1), N at least 1",
           "where its values are 0 to 255: numpy.save(FILE, numpy.ascontiguousarray(array, 'uint8'))");
  }
  const std::int64_t size = file_.size() - data_;
  if (size == rows_ * row_bytes) return;
  refuse(file, size < rows_ * row_bytes ? "a data file is cut short" : "a data file is longer than it says",
         std::to_string(size) + " bytes of data",
         std::to_string(rows_ * row_bytes) + " bytes of data, as its header says",
         "the file is damaged or was saved incompletely; fetch it again");
}

/// Leaves `data_` behind it.
std::string NpyFile::read_header() {
  const std::int64_t size = file_.size();
  std::string first(static_cast<std::size_t>(std::min(size, longest_header)), '\0');
  first.resize(file_.read_some(0, {reinterpret_cast<std::uint8_t*>(first.data()), first.size()}));
  const HeaderPlace place = find_header(file_.name(), first);
  if (place.end > size) {
    refuse(file_.name(), "a data file is cut short", std::to_string(size) + " bytes",
           "a header of " + std::to_string(place.end) + " bytes", "fetch it again");
  }
  data_ = place.end;
  return first.substr(static_cast<std::size_t>(place.begin),
                      static_cast<std::size_t>(place.end - place.begin));
}

void NpyFile::read(std::int64_t row, std::span<std::uint8_t> to) const {
  file_.read(data_ + row * row_bytes, to.first(row_bytes));
}

}  // namespace halfling
