// SPDX-License-Identifier: Apache-2.0
#include "run/png.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <csignal>

#include "base/atomic_file.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// Files of this process may grow to `bytes` only: stands for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

std::vector<std::uint8_t> noise(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 1;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

std::ptrdiff_t files_in(const Scratch& scratch) {
  return std::distance(std::filesystem::directory_iterator(scratch.path()), {});
}

}  // namespace

TEST_CASE("a picture survives writing and reading") {
  const Scratch scratch;
  for (const int channels : {1, 3}) {
    const Image image{5, 7, channels, noise(std::size_t(35 * channels))};
    write_png(scratch / "a.png", image);
    const Image back = read_png(scratch / "a.png");
    CHECK(back.width == 5);
    CHECK(back.height == 7);
    CHECK(back.channels == channels);
    CHECK(back.pixels == image.pixels);
  }
  CHECK(files_in(scratch) == 1);  // nothing partial is left
}

TEST_CASE("a picture can say what it shows") {
  const Scratch scratch;
  const Image image{5, 7, 3, noise(105)};
  const std::string text =
      "Rows from the top:\nGr\xc3\xbc\xc3\x9f"
      "e";
  write_png(scratch / "a.png", image, text);
  CHECK(read_png(scratch / "a.png").pixels == image.pixels);
  const std::string bytes = read_file(scratch / "a.png");
  const std::size_t type = bytes.find("iTXt"), end = type + 4 + 16 + text.size();
  REQUIRE(type != bytes.npos);
  CHECK(bytes.substr(type + 4, end - type - 4) == std::string("Description\0\0\0\0\0", 16) + text);
  CHECK(static_cast<unsigned char>(bytes[type - 1]) == 16 + text.size());  // the chunk's length
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(&bytes[type]), static_cast<uInt>(end - type));
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(static_cast<unsigned char>(bytes[end + i]) == (crc >> (24 - 8 * i) & 255));
}

TEST_CASE("a grid puts samples at their places, enlarged, with the background between") {
  // 2 rows, 3 columns of 1x2x2 samples; sample i holds 10 i, 10 i + 1, 10 i + 2, 10 i + 3.
  std::vector<std::uint8_t> images;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 4; ++j) images.push_back(static_cast<std::uint8_t>(10 * i + j));
  }
  const Image image = grid(images, {1, 2, 2}, 3, {.scale = 3, .gap = 1, .background = 200});
  CHECK(image.width == 2 + 3 * 6 + 2 * 1 + 2);
  CHECK(image.height == 2 + 2 * 6 + 1 + 2);
  std::size_t background = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int got = image.pixels[std::size_t(y * image.width + x)];
      const int column = (x - 2) / 7, row = (y - 2) / 7;
      const bool inside = x >= 2 && y >= 2 && (x - 2) % 7 < 6 && (y - 2) % 7 < 6 && column < 3 && row < 2;
      const int expected = 10 * (3 * row + column) + (y - 2) % 7 / 3 * 2 + (x - 2) % 7 / 3;
      if (got != (inside ? expected : 200)) FAIL_CHECK("pixel " << x << ", " << y << " is " << got);
      background += !inside;
    }
  }
  CHECK(background == std::size_t(image.width * image.height - 6 * 36));
}

TEST_CASE("a grid of colour samples interleaves the planes") {
  const std::vector<std::uint8_t> images{1, 2, 3, 4, 5, 6};  // one sample of 3x1x2
  const Image image = grid(images, {3, 1, 2}, 1, {.scale = 1, .gap = 0});
  CHECK(image.channels == 3);
  CHECK(image.pixels == std::vector<std::uint8_t>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("small samples are enlarged by a whole factor") {
  const auto width = [](std::int64_t side) {
    const std::vector<std::uint8_t> one(static_cast<std::size_t>(side * side));
    return grid(one, {1, side, side}, 1, {.gap = 0}).width;
  };
  CHECK(width(28) == 56);
  CHECK(width(32) == 64);
  CHECK(width(8) == 56);
  CHECK(width(64) == 64);
}

TEST_CASE("samples that fill no row are refused") {
  const std::vector<std::uint8_t> images(20);
  CHECK(error_of([&] { grid(images, {1, 2, 2}, 3); }).what == "these samples make no grid");
  CHECK(error_of([&] { grid(images, {2, 2, 1}, 1); }).what == "these samples make no grid");
  CHECK(error_of([&] { grid({}, {1, 2, 2}, 3); }).what == "these samples make no grid");
}

TEST_CASE("a folder that is not there, and a file that is a folder, are clear errors") {
  const Scratch scratch;
  const Image image{1, 1, 1, {7}};
  const ErrorDetails missing = error_of([&] { write_png(scratch / "none" / "a.png", image); });
  CHECK(missing.what == "a file cannot be created");
  CHECK(missing.where == (scratch / "none" / "a.png").string());
  CHECK(missing.got == "No such file or directory");
  CHECK(missing.hint == "create the folder first");
  std::filesystem::create_directories(scratch / "taken" / "x");
  CHECK(error_of([&] { write_png(scratch / "taken", image); }).got == "a folder");
  CHECK(files_in(scratch) == 1);
}

TEST_CASE(
    "a link is replaced, and followed only where the user names it; what is no file is never replaced") {
  namespace fs = std::filesystem;
  const Scratch scratch;
  const Image image{1, 1, 1, {7}};
  write_file(scratch / "real.png", "old");
  fs::create_symlink("real.png", scratch / "link.png");
  write_png(output_path(scratch / "link.png"), image);
  CHECK(fs::is_symlink(scratch / "link.png"));
  CHECK(read_png(scratch / "real.png").pixels == image.pixels);
  write_file(scratch / "real.png", "old");
  write_png(scratch / "link.png", image);
  CHECK(!fs::is_symlink(scratch / "link.png"));
  CHECK(read_png(scratch / "link.png").pixels == image.pixels);
  CHECK(read_file(scratch / "real.png") == "old");
  REQUIRE(::mkfifo((scratch / "pipe.png").c_str(), 0600) == 0);
  const ErrorDetails pipe = error_of([&] { write_png(scratch / "pipe.png", image); });
  CHECK(pipe.got == "a pipe");
  CHECK(pipe.kind == ErrorKind::usage);
  CHECK(fs::is_fifo(scratch / "pipe.png"));
  fs::create_symlink("/dev/null", scratch / "null.png");
  CHECK(error_of([&] { output_path(scratch / "null.png"); }).got == "a device");
}

TEST_CASE("a disk that fills up leaves the old file and says so") {
  const Scratch scratch;
  write_file(scratch / "a.png", "old");
  ErrorDetails error;
  {
    const FileSizeLimit limit(1000);
    error = error_of([&] { write_png(scratch / "a.png", {100, 100, 1, noise(10000)}); });
  }
  CHECK(error.what == "a file cannot be written");
  CHECK(error.got == "File too large");
  CHECK(error.hint == "free some space there, or write to another folder");
  CHECK(read_file(scratch / "a.png") == "old");
  CHECK(files_in(scratch) == 1);
}

TEST_CASE("two writers of one file do not meet in an unfinished one") {
  const Scratch scratch;
  AtomicFile first(scratch / "a"), second(scratch / "a");
  first.write("first");
  second.write("2nd");
  second.commit();
  CHECK(read_file(scratch / "a") == "2nd");
  first.commit();
  CHECK(read_file(scratch / "a") == "first");
  CHECK(files_in(scratch) == 1);
}

TEST_CASE("what is no PNG is refused with its name") {
  const Scratch scratch;
  write_file(scratch / "a.png", "<html>");
  CHECK(error_of([&] { read_png(scratch / "a.png"); }).where == (scratch / "a.png").string());
  write_png(scratch / "b.png", {50, 50, 1, noise(2500)});
  write_file(scratch / "b.png", read_file(scratch / "b.png").substr(0, 500));
  CHECK(error_of([&] { read_png(scratch / "b.png"); }).what == "a picture cannot be read");
}
