// SPDX-License-Identifier: Apache-2.0
#include "npy_file.hpp"

#include <algorithm>
#include <boost/interprocess/file_mapping.hpp>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "halfling/error.hpp"

namespace halfling {

namespace {

namespace ipc = boost::interprocess;

[[noreturn]] void refuse(const std::string& file, const char* what, std::string got, std::string expected,
                         const char* hint) {
  throw Error({.what = what,
               .where = file,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = hint,
               .kind = ErrorKind::usage});
}

ipc::mapped_region map_file(const std::string& file) {
  try {
    if (std::filesystem::file_size(file) == 0)
      refuse(file, "a data file is empty", "0 bytes", "a numpy array", "");
    return {ipc::file_mapping(file.c_str(), ipc::read_only), ipc::read_only};
  } catch (const ipc::interprocess_exception& error) {
    refuse(file, "a data file cannot be read", error.what(), "", "");
  } catch (const std::filesystem::filesystem_error& error) {
    refuse(file, "a data file cannot be read", error.code().message(), "", "");
  }
}

struct Header {
  std::string_view text;  // the Python dictionary
  std::size_t data;       // where the elements begin
};

Header find_header(const std::string& file, std::string_view all) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!all.starts_with(magic)) {
    const bool page =
        all.find_first_not_of(" \t\r\n") != all.npos && all[all.find_first_not_of(" \t\r\n")] == '<';
    refuse(file, "this is not a numpy array", "a file that begins otherwise", "the first bytes \\x93NUMPY",
           page ? "this looks like a web page saved in the place of the data; fetch the file itself"
                : "these are other data; check the path");
  }
  const auto byte = [&](std::size_t at) -> std::size_t {
    return at < all.size() ? static_cast<unsigned char>(all[at]) : 0;
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    refuse(file, "this numpy format is unknown", "version " + std::to_string(version), "1, 2 or 3", "");
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (begin + length > all.size()) {
    refuse(file, "a data file is cut short", std::to_string(all.size()) + " bytes",
           "a header of " + std::to_string(begin + length) + " bytes", "fetch it again");
  }
  return {all.substr(begin, length), begin + length};
}

/// Rows of an accepted header.
std::optional<std::int64_t> rows_of(std::string_view header) {
  std::string text;  // without blanks, which mean nothing here
  std::copy_if(header.begin(), header.end(), std::back_inserter(text), [](char c) { return c != ' '; });
  const auto has = [&text](const char* part) { return text.find(part) != std::string::npos; };
  if (!has("'descr':'|u1'") || !has("'fortran_order':False")) return std::nullopt;
  constexpr std::string_view key = "'shape':(";
  const std::size_t shape = text.find(key);
  if (shape == std::string::npos) return std::nullopt;
  std::int64_t rows = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + shape + key.size(), end, rows);
  const std::string_view inner(rest, end);
  const bool fits =
      inner.starts_with(",784)") || inner.starts_with(",1,784)") || inner.starts_with(",28,28)");
  // Few enough rows that their bytes can be counted.
  const bool countable = error == std::errc() && rows >= 0 && rows <= INT64_MAX / NpyFile::row_bytes;
  return fits && countable ? std::optional(rows) : std::nullopt;
}

}  // namespace

NpyFile::NpyFile(const std::string& file) : region_(map_file(file)) {
  const std::string_view all(static_cast<const char*>(region_.get_address()), region_.get_size());
  const Header header = find_header(file, all);
  const std::optional<std::int64_t> rows = rows_of(header.text.substr(0, 4096));
  if (!rows || *rows == 0) {
    refuse(file, "this numpy array holds no 28x28 bitmaps",
           std::string(header.text.substr(0, header.text.find('}') + 1)),
           "uint8 in C order, shape (N, 784), N at least 1", "");
  }
  const auto size = static_cast<std::int64_t>(all.size() - header.data);
  if (size != *rows * row_bytes) {
    refuse(file, size < *rows * row_bytes ? "a data file is cut short" : "a data file is longer than it says",
           std::to_string(size) + " bytes of data",
           std::to_string(*rows * row_bytes) + " bytes of data, as its header says",
           "the file is damaged or was saved incompletely; fetch it again");
  }
  rows_ = *rows;
  data_ = reinterpret_cast<const std::uint8_t*>(all.data()) + header.data;
  region_.advise(ipc::mapped_region::advice_random);
}

}  // namespace halfling
