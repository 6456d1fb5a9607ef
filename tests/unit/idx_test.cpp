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
  std::int64_t first_label = 0;
  bool transposed = false;

  std::unique_ptr<Dataset> open() const {
    Options options;
    options.set("images", (scratch / "images").string());
    options.set("labels", (scratch / "labels").string());
    options.set("classes", classes);
    options.set("first_label", first_label);
    options.set("transposed", transposed);
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
  const ErrorDetails error = files.refusal_of("labels");
  CHECK(error.got == "label 2 of sample 0, byte 8 of the unpacked file");
  CHECK(error.expected == "labels from 0 to 1, as many as dataset.classes");
  CHECK(error.hint == "name every class in dataset.classes, or leave the list out");
}

TEST_CASE("idx takes labels that do not begin with 0, as EMNIST's letters, where it is told") {
  Files files{.scratch = {}, .classes = {"a", "b", "c"}};
  write_file(files.scratch / "images", images());
  write_file(files.scratch / "labels", be32(0x801) + be32(3) + std::string("\3\1\2", 3));
  const std::string way_out = "the file's labels begin with 1: set dataset.first_label = 1";
  ErrorDetails error = files.refusal_of("labels");
  CHECK(error.what == "a label has no class name");
  CHECK(error.got == "label 3 of sample 0, byte 8 of the unpacked file");
  CHECK(error.hint == way_out);
  files.classes = {};
  error = files.refusal_of("labels");
  CHECK(error.what == "a class has no sample");
  CHECK(error.got == "no label for \"0\"");
  CHECK(error.hint == way_out);
  files.first_label = 1;
  CHECK(files.open()->classes() == std::vector<std::string>{"1", "2", "3"});
  files.classes = {"a", "b", "c"};
  const auto dataset = files.open();
  CHECK(dataset->classes() == files.classes);
  CHECK(sample(*dataset, 0).label == 2);
  CHECK(sample(*dataset, 1).label == 0);
  files.classes = {};
  files.first_label = 2;
  error = files.refusal_of("labels");
  CHECK(error.got == "label 1 of sample 1, byte 9 of the unpacked file");
  CHECK(error.expected == "labels from 2 on");
  CHECK(error.hint == way_out);
  files.first_label = 200;
  CHECK(files.refusal_of("labels").hint == way_out);
}

TEST_CASE("idx refuses classes without samples, which would be trained in silence") {
  Files files{.scratch = {}, .classes = {"a", "b", "c", "d", "e"}};
  write_file(files.scratch / "images", images());
  write_file(files.scratch / "labels", labels);
  ErrorDetails error = files.refusal_of("labels");
  CHECK(error.what == "a class has no sample");
  CHECK(error.got == "no label for \"d\", \"e\"");
  CHECK(error.hint == "take its name out of dataset.classes");
  write_file(files.scratch / "labels", be32(0x801) + be32(3) + std::string("\0\3\1", 3));
  files.classes = {};
  error = files.refusal_of("labels");
  CHECK(error.got == "no label for \"2\"");
  CHECK(error.hint == "labels must have no gaps: number them anew in the labels' file");
}

TEST_CASE("idx refuses damaged files") {
  const Files files;
  const std::string good = images();
  const ErrorDetails page = files.refusal("<!DOCTYPE html><html></html>");
  CHECK(page.got == "first bytes 3c 21 44 4f");
  CHECK(page.expected == "first bytes 00 00 08 03");
  CHECK(page.hint.find("web page") != std::string::npos);
  CHECK(files.refusal(labels).hint == "the files of images and labels may be exchanged");
  CHECK(files.refusal("").what.ends_with("a data file is empty"));
  CHECK(files.refusal(good.substr(0, 3)).got == "a file that ends in its header");
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

TEST_CASE("idx reads several gzip members as one file") {
  const Files files;
  const std::string whole = images();
  std::string packed;
  for (std::size_t begin = 0; begin < whole.size(); begin += 9) {
    write_gzip(files.scratch / "part", whole.substr(begin, 9));
    packed += read_file(files.scratch / "part");
  }
  write_file(files.scratch / "images", packed);
  write_file(files.scratch / "labels", labels);
  const auto dataset = files.open();
  CHECK(dataset->size() == 3);
  CHECK(sample(*dataset, 2).pixels == std::vector<std::uint8_t>{8, 9, 10, 11});
  CHECK(files.refusal(packed.substr(0, packed.size() / 2)).kind == ErrorKind::usage);
}

TEST_CASE("idx turns images that lie column by column") {
  std::string bytes = be32(0x803) + be32(2) + be32(2) + be32(3);
  for (char c = 0; c < 12; ++c) bytes += c;
  for (const bool compressed : {false, true}) {
    Files files{.scratch = {}, .transposed = true};
    if (compressed)
      write_gzip(files.scratch / "images", bytes);
    else
      write_file(files.scratch / "images", bytes);
    write_file(files.scratch / "labels", be32(0x801) + be32(2) + std::string("\0\1", 2));
    const auto dataset = files.open();
    CHECK(dataset->sample_shape() == Shape{1, 3, 2});
    CHECK(sample(*dataset, 0).pixels == std::vector<std::uint8_t>{0, 3, 1, 4, 2, 5});
    CHECK(sample(*dataset, 1).pixels == std::vector<std::uint8_t>{6, 9, 7, 10, 8, 11});
    files.transposed = false;
    CHECK(files.open()->sample_shape() == Shape{1, 2, 3});
  }
}

TEST_CASE("idx reads every split of EMNIST") {
  struct Split {
    const char* name;
    int first, classes;
  };
  for (const Split& split : {Split{"byclass", 0, 62},
                             {"bymerge", 0, 47},
                             {"balanced", 0, 47},
                             {"letters", 1, 26},
                             {"digits", 0, 10},
                             {"mnist", 0, 10}}) {
    CAPTURE(split.name);
    Files files{.scratch = {}, .first_label = split.first, .transposed = true};
    const auto count = static_cast<std::uint32_t>(split.classes);
    std::string pictures = be32(0x803) + be32(count) + be32(2) + be32(2), marks = be32(0x801) + be32(count);
    for (int i = 0; i < split.classes; ++i) {
      pictures += {char(i), char(i + 1), char(i + 2), char(i + 3)};
      marks += char(split.first + i);
      files.classes.push_back("class " + std::to_string(i));
    }
    write_gzip(files.scratch / "images", pictures);
    write_gzip(files.scratch / "labels", marks);
    const auto dataset = files.open();
    CHECK(dataset->classes() == files.classes);
    const Sample last = sample(*dataset, split.classes - 1);
    CHECK(last.label == split.classes - 1);
    const auto i = static_cast<std::uint8_t>(split.classes - 1);
    CHECK(last.pixels ==
          std::vector<std::uint8_t>{i, std::uint8_t(i + 2), std::uint8_t(i + 1), std::uint8_t(i + 3)});
  }
}

TEST_CASE("a plain file of images that becomes shorter while it is open is an error like any other") {
  const Files files;
  write_file(files.scratch / "images", images());
  write_file(files.scratch / "labels", labels);
  const auto dataset = files.open();
  std::filesystem::resize_file(files.scratch / "images", 16 + 6);
  CHECK(sample(*dataset, 0).pixels == std::vector<std::uint8_t>{0, 1, 2, 3});
  const ErrorDetails error = error_of([&] { sample(*dataset, 1); });
  CHECK(error.what == "a data file has become shorter since it was opened");
  CHECK(error.where.find((files.scratch / "images").string() + ", byte 22") != std::string::npos);
  CHECK(error.expected == "28 bytes, as when it was opened");
}

TEST_CASE("idx refuses files that do not belong together or are not there") {
  const Files files;
  CHECK(files.refusal_of("images").got == "No such file or directory");
  write_file(files.scratch / "images", images());
  std::filesystem::create_directory(files.scratch / "labels");
  CHECK(files.refusal_of("labels").what.ends_with("a data file is no plain file"));
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
  options.set("first_label", std::int64_t{0});
  options.set("transposed", false);
  const auto dataset = make_dataset("idx", options);
  CHECK(dataset->size() == 10000);
  CHECK(dataset->sample_shape() == Shape{1, 28, 28});
  std::vector<int> histogram(10);
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    ++histogram.at(static_cast<std::size_t>(sample(*dataset, i).label));
  CHECK(histogram == std::vector<int>(10, 1000));
}
