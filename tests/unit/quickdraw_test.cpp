// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// A numpy file of `rows` drawings, all bytes of row i being first + i; padded as numpy pads.
std::string npy(int rows, int first, const std::string& shape = "784", int version = 1) {
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + shape + "), }";
  const std::size_t start = version == 1 ? 10 : 12;
  header.append(63 - (start + header.size()) % 64, ' ').append("\n");
  std::string bytes = "\x93NUMPY";
  bytes += {char(version), 0, char(header.size()), char(header.size() >> 8)};
  if (version > 1) bytes += std::string(2, '\0');
  bytes += header;
  for (int i = 0; i < rows; ++i) bytes.append(784, char(first + i));
  return bytes;
}

/// Writes the length of a header whose text was replaced.
void fix_header(const std::filesystem::path& file, int version) {
  std::string bytes = read_file(file);
  const std::size_t length = bytes.find('\n') + 1 - (version == 1 ? 10 : 12);
  bytes[8] = char(length);
  bytes[9] = char(length >> 8);
  write_file(file, bytes);
}

std::unique_ptr<Dataset> open(const std::filesystem::path& root, const std::vector<std::string>& classes,
                              std::int64_t limit = 0) {
  Options options;
  options.set("root", root.string());
  options.set("classes", classes);
  options.set("form", "bitmaps");
  options.set("size", std::int64_t{28});
  options.set("limit", limit);
  return make_dataset("quickdraw", options);
}

ErrorDetails refusal(const std::string& bytes) {
  const Scratch scratch;
  write_file(scratch / "cat.npy", bytes);
  ErrorDetails error = error_of([&] { open(scratch.path(), {"cat"}); });
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.where.find((scratch / "cat.npy").string()) != std::string::npos);
  return error;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("quickdraw joins the classes' files in the order of the list") {
  const Scratch scratch;
  write_file(scratch / "cat.npy", npy(3, 10));
  write_file(scratch / "full_numpy_bitmap_alarm clock.npy", npy(2, 20, "1, 784", 2));
  write_file(scratch / "bee.npy", npy(4, 30, "28, 28", 3));
  const auto dataset = open(scratch.path(), {"bee", "alarm clock", "cat"});
  CHECK(dataset->size() == 9);
  CHECK(dataset->sample_shape() == Shape{1, 28, 28});
  CHECK(dataset->classes() == std::vector<std::string>{"bee", "alarm clock", "cat"});
  const int expected[][2] = {{0, 30}, {0, 31}, {0, 32}, {0, 33}, {1, 20}, {1, 21}, {2, 10}, {2, 11}, {2, 12}};
  for (int i = 0; i < 9; ++i) {
    const Sample got = sample(*dataset, i);
    CHECK(got.label == expected[i][0]);
    CHECK(got.pixels == std::vector<std::uint8_t>(784, static_cast<std::uint8_t>(expected[i][1])));
  }
}

TEST_CASE("quickdraw takes at most `limit` drawings of a class") {
  const Scratch scratch;
  write_file(scratch / "cat.npy", npy(3, 10));
  write_file(scratch / "bee.npy", npy(1, 30));
  const auto dataset = open(scratch.path(), {"cat", "bee"}, 2);
  CHECK(dataset->size() == 3);
  CHECK(sample(*dataset, 1).pixels[0] == 11);
  CHECK(sample(*dataset, 2).pixels[0] == 30);
}

TEST_CASE("quickdraw names all missing files at once, and where they come from") {
  const Scratch scratch;
  write_file(scratch / "cat.npy", npy(3, 10));
  const ErrorDetails error = error_of([&] { open(scratch.path(), {"alarm clock", "cat", "bee"}); });
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.got == "a folder without alarm clock.npy, bee.npy");
  CHECK(error.hint.find(
            "https://storage.googleapis.com/quickdraw_dataset/full/numpy_bitmap/alarm%20clock.npy") !=
        std::string::npos);
  CHECK(error.hint.find("/bee.npy") != std::string::npos);
  CHECK(error.hint.find("/cat.npy") == std::string::npos);
  CHECK(error_of([&] { open(scratch / "none", {"cat"}); }).got == "no such folder");
}

TEST_CASE("a misspelt class of drawings is told from one that is not there, before a download is proposed") {
  const Scratch scratch;
  write_file(scratch / "full_numpy_bitmap_alarm clock.npy", npy(1, 1));
  const ErrorDetails error = error_of([&] {
    open(scratch.path(), {"alarm clok", "airplan", "submarine", "alarm clock"});
  });
  CHECK(error.where.starts_with("dataset.classes"));
  CHECK(error.got == "alarm clok");
  CHECK(error.hint.starts_with("did you mean \"alarm clock\"?"));
  REQUIRE(error.others.size() == 2);
  CHECK(error.others[0].hint.starts_with("did you mean \"airplane\"?"));
  CHECK(error.others[1].got == "a folder without submarine.npy");
  CHECK(error.others[1].hint.find("/submarine.npy") != std::string::npos);
  CHECK(error.others[1].hint.find("clok") == std::string::npos);
  CHECK(error_of([&] { open(scratch / "none", {"airplan"}); }).others.at(0).got == "no such folder");
}

TEST_CASE("quickdraw needs distinct classes") {
  CHECK(error_of([] { open("/", {}); }).what.ends_with("no class of drawings is chosen"));
  CHECK(error_of([] { open("/", {"a", "b", "a"}); }).what.ends_with("a class of drawings is chosen twice"));
}

TEST_CASE("quickdraw refuses files that are no arrays of bitmaps") {
  const std::string good = npy(2, 1);
  CHECK(refusal("\n<html>").hint.find("web page") != std::string::npos);
  CHECK(refusal("").what.ends_with("a data file is empty"));
  CHECK(refusal("\x93NUMPY").got == "version 0");
  CHECK(refusal(good.substr(0, 50)).what.ends_with("a data file is cut short"));
  const ErrorDetails shorter = refusal(good.substr(0, good.size() - 1));
  CHECK(shorter.got == "1567 bytes of data");
  CHECK(shorter.expected == "1568 bytes of data, as its header says");
  CHECK(refusal(good + "x").what.ends_with("a data file is longer than it says"));
  for (const std::string& bad :
       {replaced(good, "|u1", "<f4"), replaced(good, "False", "True "), replaced(good, "784", "785"),
        replaced(good, "(2,", "(0,"), replaced(good, "(2,", "(-2,"),
        replaced(good, "(2,", "(99999999999999999999,"), replaced(good, "(2,", "(9223372036854775807,"),
        replaced(good, "'shape'", "'shade'"), replaced(good, "|u1", "|i1"), replaced(good, "|u1", "<u2"),
        replaced(good, "|u1", "|b1"), replaced(good, "784", "28, 28, 3"), replaced(good, "784", "56, 14"),
        replaced(good, "784", "28L 28L"), replaced(good, "784", "784LL")}) {
    CAPTURE(bad.substr(0, 128));
    const ErrorDetails error = refusal(bad);
    CHECK(error.what.ends_with("this numpy array holds no 28x28 bitmaps"));
    CHECK(error.got == bad.substr(10, bad.find('}') + 1 - 10));  // the header, as it stands there
  }
  CHECK(refusal(replaced(good, "False", "True")).got ==
        "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 784), }");
}

TEST_CASE("quickdraw reads unsigned bytes however numpy, of Python 2 or 3, describes them") {
  const std::string good = npy(2, 7);
  for (const char* descr : {"|u1", "<u1", ">u1", "=u1", "u1"}) {
    for (const char* shape : {"(2, 784)", "(2L, 784L)", "(2,784)", "(2, 28, 28)", "(2, 28, 28, 1)",
                              "(2L, 28L, 28L,)", "(2, 1, 784)"}) {
      for (const int version : {1, 2, 3}) {
        CAPTURE(descr);
        CAPTURE(shape);
        CAPTURE(version);
        const Scratch scratch;
        write_file(scratch / "cat.npy",
                   replaced(replaced(npy(2, 7, "784", version), "|u1", descr), "(2, 784)", shape));
        fix_header(scratch / "cat.npy", version);
        const auto dataset = open(scratch.path(), {"cat"});
        CHECK(dataset->size() == 2);
        CHECK(sample(*dataset, 1).pixels == std::vector<std::uint8_t>(784, 8));
      }
    }
  }
}

TEST_CASE("a file that becomes shorter while it is open is an error like any other") {
  const Scratch scratch;
  const std::string good = npy(3, 10);
  write_file(scratch / "cat.npy", good);
  const auto dataset = open(scratch.path(), {"cat"});
  CHECK(sample(*dataset, 2).pixels[0] == 12);
  std::filesystem::resize_file(scratch / "cat.npy", good.size() - 784 - 100);
  CHECK(sample(*dataset, 0).pixels[0] == 10);
  const ErrorDetails error = error_of([&] { sample(*dataset, 1); });
  CHECK(error.what == "a data file has become shorter since it was opened");
  CHECK(error.where.find((scratch / "cat.npy").string() + ", byte " + std::to_string(good.size() - 884)) !=
        std::string::npos);
  CHECK(error.got == "its end");
  CHECK(error.expected == std::to_string(good.size()) + " bytes, as when it was opened");
}

namespace {
const std::filesystem::path shared = HALFLING_SHARED_DATA "/quickdraw";
}

TEST_CASE("quickdraw reads official drawings" * doctest::skip(!std::filesystem::exists(shared))) {
  const auto dataset = open(shared, {"airplane", "bee", "fish"});
  CHECK(dataset->size() == 3999 + 225 + 3000);
  CHECK(sample(*dataset, 3999 + 225).label == 2);
  int ink = 0;
  for (const std::uint8_t pixel : sample(*dataset, 0).pixels) ink += pixel > 128;
  CHECK(ink > 20);   // white lines …
  CHECK(ink < 400);  // … on black
}
