// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <zlib.h>

#include <numeric>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

std::string be32(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

/// 3 images of 2x2 with the bytes 0 … 11.
std::string images() {
  std::string bytes = be32(0x803) + be32(3) + be32(2) + be32(2);
  for (char c = 0; c < 12; ++c) bytes += c;
  return bytes;
}

const std::string labels = be32(0x801) + be32(3) + std::string("\2\0\1", 3);

void write_gzip(const std::filesystem::path& file, const std::string& bytes) {
  gzFile stream = gzopen(file.c_str(), "wb");
  gzwrite(stream, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(stream);
}

/// The data set of two files in a folder of their own.
struct Files {
  Scratch scratch;
  std::vector<std::string> classes{};

  std::unique_ptr<Dataset> open() const {
    Options options;
    options.set("images", (scratch / "images").string());
    options.set("labels", (scratch / "labels").string());
    options.set("classes", classes);
    return make_dataset("idx", options);
  }
  /// The error for these images (and good labels), which must name the file.
  ErrorDetails refusal(const std::string& bytes) const {
    write_file(scratch / "images", bytes);
    write_file(scratch / "labels", labels);
    return refusal_of("images");
  }
  ErrorDetails refusal_of(const char* file) const {
    const ErrorDetails error = error_of([&] { open(); });
    CHECK(error.kind == ErrorKind::usage);
    CHECK(error.where.find((scratch / file).string()) != std::string::npos);
    return error;
  }
};

}  // namespace

TEST_CASE("idx reads plain and compressed files, whatever they are called") {
  for (const bool compressed : {false, true}) {
    const Files files;
    const auto write =
        compressed ? write_gzip : [](const std::filesystem::path& file, const std::string& bytes) {
          write_file(file, bytes);
        };
    write(files.scratch / "images", images());
    write(files.scratch / "labels", labels);
    const auto dataset = files.open();
    CHECK(dataset->size() == 3);
    CHECK(dataset->sample_shape() == Shape{1, 2, 2});
    CHECK(dataset->classes() == std::vector<std::string>{"0", "1", "2"});
    CHECK(sample(*dataset, 0).label == 2);
    CHECK(sample(*dataset, 2).label == 1);
    CHECK(sample(*dataset, 1).pixels == std::vector<std::uint8_t>{4, 5, 6, 7});
  }
}

TEST_CASE("idx takes class names, and needs one for every label") {
  Files files{.scratch = {}, .classes = {"a", "b", "c"}};
  write_file(files.scratch / "images", images());
  write_file(files.scratch / "labels", labels);
  CHECK(files.open()->classes() == files.classes);
  files.classes = {"a", "b"};
  CHECK(files.refusal_of("labels").got == "label 2");
}

TEST_CASE("idx refuses damaged files") {
  const Files files;
  const std::string good = images();
  const ErrorDetails page = files.refusal("<!DOCTYPE html><html></html>");
  CHECK(page.got == "first bytes 3c 21 44 4f");
  CHECK(page.expected == "first bytes 00 00 08 03");
  CHECK(page.hint.find("web page") != std::string::npos);
  CHECK(files.refusal(labels).hint == "the files of images and labels may be exchanged");
  CHECK(files.refusal("").got == "a file that ends in its header");
  CHECK(files.refusal(good.substr(0, 9)).got == "a file that ends in its header");
  const ErrorDetails shorter = files.refusal(good.substr(0, good.size() - 1));
  CHECK(shorter.got == "11 bytes of data");
  CHECK(shorter.expected == "12 bytes of data, as its header says");
  CHECK(files.refusal(good + "x").what.ends_with("a data file is longer than it says"));
  CHECK(files.refusal(be32(0x803) + be32(0) + be32(2) + be32(2)).got == "a dimension of 0");
  const std::string huge = be32(0x803) + be32(~0u) + be32(~0u) + be32(~0u);
  CHECK(files.refusal(huge).got == "16 bytes on disk");
}

TEST_CASE("idx refuses damaged compressed files") {
  const Files files;
  write_gzip(files.scratch / "good", images());
  const std::string good = read_file(files.scratch / "good");
  CHECK(files.refusal(good.substr(0, good.size() - 12)).what.ends_with("a data file cannot be read"));
  std::string damaged = good;
  damaged[good.size() - 6] = static_cast<char>(damaged[good.size() - 6] ^ 1);  // the checksum
  CHECK(files.refusal(damaged).got.find("incorrect data check") != std::string::npos);
}

TEST_CASE("idx refuses files that do not belong together or are not there") {
  const Files files;
  CHECK(files.refusal_of("images").got == "No such file or directory");
  write_file(files.scratch / "images", images());
  std::filesystem::create_directory(files.scratch / "labels");
  CHECK(files.refusal_of("labels").what.ends_with("a data file is a folder"));
  std::filesystem::remove(files.scratch / "labels");
  write_file(files.scratch / "labels", be32(0x801) + be32(2) + std::string(2, '\0'));
  const ErrorDetails counts = files.refusal_of("labels");
  CHECK(counts.got == "2 labels");
  CHECK(counts.expected.starts_with("3, one for each image of "));
}

TEST_CASE("idx reads Debian's Fashion-MNIST" *
          doctest::skip(!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))) {
  Options options;
  options.set("images", "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz");
  options.set("labels", "/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz");
  options.set("classes", std::vector<std::string>{});
  const auto dataset = make_dataset("idx", options);
  CHECK(dataset->size() == 10000);
  CHECK(dataset->sample_shape() == Shape{1, 28, 28});
  std::vector<int> histogram(10);
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    ++histogram.at(static_cast<std::size_t>(sample(*dataset, i).label));
  CHECK(histogram == std::vector<int>(10, 1000));
}
