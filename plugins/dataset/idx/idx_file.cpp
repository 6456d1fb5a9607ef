// SPDX-License-Identifier: Apache-2.0
#include "idx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "halfling/error.hpp"

namespace halfling {

namespace {

constexpr const char* download_again = "the file is damaged or was saved incompletely; fetch it again";

[[noreturn]] void refuse(const std::string& file, const char* what, std::string got, std::string expected,
                         const char* hint = download_again) {
  throw Error({.what = what,
               .where = file,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = hint,
               .kind = ErrorKind::usage});
}

/// Of a file of one gzip member or several.
class Unpacker {
 public:
  explicit Unpacker(const std::string& file) : file_(file) {
    errno = 0;
    stream_.reset(gzopen(file.c_str(), "rb"));
    if (!stream_) {
      const std::string reason = errno != 0 ? std::strerror(errno) : "not enough memory";
      refuse(file, "a data file cannot be opened", reason, "",
             "check the path; data sets are not part of halfling");
    }
  }

  /// As many bytes as there are, at most `size`.
  std::size_t read(std::uint8_t* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const auto step = static_cast<unsigned>(std::min<std::size_t>(size - done, 1u << 30));
      const int got = gzread(stream_.get(), to + done, step);
      if (got > 0) done += static_cast<std::size_t>(got);
      if (got < static_cast<int>(step)) check();
      if (got <= 0) break;
    }
    return done;
  }

 private:
  struct Close {
    void operator()(gzFile_s* stream) const { gzclose(stream); }
  };

  /// A short read is either the file's end or a fault of the compressed data.
  void check() const {
    int code = Z_OK;
    const char* message = gzerror(stream_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    const std::string got = code == Z_ERRNO ? std::strerror(errno) : message;
    refuse(file_, "a data file cannot be read", got, "a whole file");
  }

  const std::string& file_;
  std::unique_ptr<gzFile_s, Close> stream_;
};

std::string hex(const std::array<std::uint8_t, 4>& bytes) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
  return text.data();
}

void check_magic(const std::string& file, const std::array<std::uint8_t, 4>& magic, int rank) {
  const std::array<std::uint8_t, 4> expected{0, 0, 8, static_cast<std::uint8_t>(rank)};
  if (magic == expected) return;
  const char* hint = "these are other data; check the path";
  if (magic[0] == '<')
    hint = "this looks like a web page saved in the place of the data; fetch the file itself";
  if (magic[0] == 0 && magic[1] == 0 && magic[2] == 8 && (magic[3] == 1 || magic[3] == 3)) {
    hint = "the files of images and labels may be exchanged";
  }
  refuse(file, "this is not the IDX file that it should be", "first bytes " + hex(magic),
         "first bytes " + hex(expected), hint);
}

/// Bytes that the header promises; refuses what cannot be true before memory is taken for it.
std::uint64_t promised_bytes(const std::string& file, const std::vector<std::int64_t>& extents) {
  constexpr std::uint64_t best_compression = 1032;  // deflate's limit
  const std::uint64_t most = best_compression * std::filesystem::file_size(file);
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent == 0) refuse(file, "a data file is empty", "a dimension of 0", "at least one sample");
    if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(extent), &product)) product = UINT64_MAX;
    if (product > most) {
      refuse(file, "a data file is cut short",
             std::to_string(std::filesystem::file_size(file)) + " bytes on disk",
             "data of more than " + std::to_string(most) + " bytes, as its header says");
    }
  }
  return product;
}

/// `header`: as much of it as there is. Gives the extents.
std::vector<std::int64_t> parse_header(const std::string& file, std::span<const std::uint8_t> header,
                                       int rank) {
  std::array<std::uint8_t, 4> word{};
  std::copy_n(header.begin(), std::min(header.size(), word.size()), word.begin());
  if (header.size() >= word.size()) check_magic(file, word, rank);
  if (header.size() < static_cast<std::size_t>(idx_header_bytes(rank))) {
    refuse(file, "a data file is cut short", "a file that ends in its header",
           "a header of " + std::to_string(idx_header_bytes(rank)) + " bytes");
  }
  std::vector<std::int64_t> extents;
  for (std::size_t at = 4; at < header.size(); at += 4)
    extents.push_back((std::int64_t{header[at]} << 24) | (header[at + 1] << 16) | (header[at + 2] << 8) |
                      header[at + 3]);
  return extents;
}

void refuse_shorter(const std::string& file, std::uint64_t got, std::uint64_t promised) {
  refuse(file, "a data file is cut short", std::to_string(got) + " bytes of data",
         std::to_string(promised) + " bytes of data, as its header says");
}

void refuse_longer(const std::string& file, std::uint64_t promised) {
  refuse(file, "a data file is longer than it says", "more bytes of data",
         std::to_string(promised) + " bytes of data, as its header says");
}

constexpr std::size_t longest_header = 16;

}  // namespace

IdxFile::IdxFile(const std::string& file, int rank)
    : name_(file), rank_(rank), plain_(std::in_place, file, "an IDX file") {
  std::array<std::uint8_t, 2> first{};
  plain_->read_some(0, first);
  if (first == std::array<std::uint8_t, 2>{0x1f, 0x8b})
    unpack();
  else
    read_plain();
}

void IdxFile::read_plain() {
  std::array<std::uint8_t, longest_header> header{};
  const auto wanted = std::span(header).first(static_cast<std::size_t>(idx_header_bytes(rank_)));
  extents_ = parse_header(name_, wanted.first(plain_->read_some(0, wanted)), rank_);
  const std::uint64_t promised = promised_bytes(name_, extents_);
  const auto got = static_cast<std::uint64_t>(plain_->size() - idx_header_bytes(rank_));
  if (got < promised) refuse_shorter(name_, got, promised);
  if (got > promised) refuse_longer(name_, promised);
}

void IdxFile::unpack() {
  plain_.reset();
  Unpacker unpacker(name_);
  std::array<std::uint8_t, longest_header> header{};
  const auto wanted = static_cast<std::size_t>(idx_header_bytes(rank_));
  extents_ = parse_header(name_, std::span(header).first(unpacker.read(header.data(), wanted)), rank_);
  const std::uint64_t promised = promised_bytes(name_, extents_);
  unpacked_.resize(promised);
  const std::size_t got = unpacker.read(unpacked_.data(), promised);
  if (got < promised) refuse_shorter(name_, got, promised);
  std::uint8_t extra = 0;
  if (unpacker.read(&extra, 1) > 0) refuse_longer(name_, promised);
}

void IdxFile::read(std::int64_t first, std::span<std::uint8_t> to) const {
  if (plain_)
    plain_->read(idx_header_bytes(rank_) + first, to);
  else
    std::copy_n(unpacked_.begin() + first, to.size(), to.begin());
}

}  // namespace halfling
