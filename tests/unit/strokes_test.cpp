// SPDX-License-Identifier: Apache-2.0
// Dataset quickdraw, form "strokes".
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

const std::filesystem::path official = HALFLING_TEST_DATA "/quickdraw";
const std::filesystem::path shared = HALFLING_SHARED_DATA;

std::unique_ptr<Dataset> open(const std::filesystem::path& root, const std::vector<std::string>& classes,
                              const std::string& form, std::int64_t size = 28) {
  Options options;
  options.set("root", root.string());
  options.set("classes", classes);
  options.set("form", form);
  options.set("size", size);
  options.set("limit", std::int64_t{0});
  return make_dataset("quickdraw", options);
}

/// A file of class "cat".
struct File {
  explicit File(const std::string& text) { write_file(scratch / "cat.ndjson", text); }
  std::unique_ptr<Dataset> open(std::int64_t size = 28) const {
    return ::open(scratch.path(), {"cat"}, "strokes", size);
  }
  ErrorDetails refusal() const {
    ErrorDetails error = error_of([&] { sample(*open(), 0); });
    CHECK(error.kind == ErrorKind::usage);
    CHECK(error.where.find((scratch / "cat.ndjson").string() + ", byte 0") != std::string::npos);
    return error;
  }
  Scratch scratch;
};

double mean(const Sample& sample) {
  return std::accumulate(sample.pixels.begin(), sample.pixels.end(), 0.0) /
         static_cast<double>(sample.pixels.size());
}

std::string line(const std::string& drawing) {
  return R"({"word":"cat","drawing":)" + drawing + "}";
}

const std::string good = line("[[[0,255],[0,255]]]");

}  // namespace

TEST_CASE("strokes become the official bitmaps, pixel by pixel") {
  const std::vector<std::string> classes{"airplane", "fish"};
  const auto drawn = open(official, classes, "strokes"), bitmaps = open(official, classes, "bitmaps");
  REQUIRE(drawn->size() == 7);
  REQUIRE(bitmaps->size() == 7);
  for (std::int64_t i = 0; i < 7; ++i) {
    CHECK(sample(*drawn, i).pixels == sample(*bitmaps, i).pixels);
    CHECK(sample(*drawn, i).label == sample(*bitmaps, i).label);
  }
}

TEST_CASE("the first 25 drawings of ten classes become the official bitmaps" *
          doctest::skip(!std::filesystem::exists(shared / "quickdraw-strokes"))) {
  for (const char* name :
       {"airplane", "apple", "bee", "bird", "book", "clock", "cow", "dog", "eye", "fish"}) {
    const auto drawn = open(shared / "quickdraw-strokes", {name}, "strokes");
    const auto bitmaps = open(shared / "quickdraw", {name}, "bitmaps");
    REQUIRE(drawn->size() == 25);
    for (std::int64_t i = 0; i < 25; ++i) {
      CAPTURE(name);
      CAPTURE(i);
      CHECK(sample(*drawn, i).pixels == sample(*bitmaps, i).pixels);
    }
  }
}

TEST_CASE("strokes are drawn at any size") {
  const auto small = open(official, {"fish"}, "strokes"), large = open(official, {"fish"}, "strokes", 128);
  CHECK(large->sample_shape() == Shape{1, 128, 128});
  for (std::int64_t i = 0; i < small->size(); ++i)
    CHECK(std::abs(mean(sample(*large, i)) / mean(sample(*small, i)) - 1) < 0.03);
}

TEST_CASE("a stroke of one point is a dot in the middle, whatever its place") {
  const File file(line("[[[200],[10]]]"));
  const Sample dot = sample(*file.open(304), 0);  // a pixel a unit of the canvas
  int ink = 0;
  for (const std::uint8_t pixel : dot.pixels) ink += pixel;
  CHECK(std::abs(ink / 255.0 - 3.14159 * 8 * 8) < 5);
  // The largest x and y are moved to the middle between them and the edge: 24 + 200 + 28, 24 + 10 + 123.
  CHECK(dot.pixels[157 * 304 + 252] == 255);
  CHECK(dot.pixels[157 * 304 + 262] == 0);
}

TEST_CASE("lines may be blank, end as in Windows, and the last one without an end") {
  const File file("\n" + good + "\r\n\n  " + line("[[[5],[5]],[[9,9],[1,2],[0,7]]]"));
  const auto dataset = file.open();
  CHECK(dataset->size() == 2);
  CHECK(mean(sample(*dataset, 0)) > mean(sample(*dataset, 1)));
  CHECK(mean(sample(*dataset, 1)) > 0);
}

TEST_CASE("lines that are no drawings are told with their place") {
  CHECK(File(line("[[[0,256],[0,1]]]")).refusal().what.starts_with("a stroke lies outside of the canvas"));
  CHECK(File(line("[[[0,256],[0,1]]]")).refusal().got == "256");
  for (const char* outside : {"-1", "0.5", "1e3", "\"1\"", "null", "99999999999999999999"})
    CHECK(File(line("[[[0," + std::string(outside) + "],[0,1]]]")).refusal().got.size() > 0);
  for (const char* uneven : {"[[[0,1],[0]]]", "[[[0,1]]]", "[[[],[]]]", "[[0,1]]", "[7]"})
    CHECK(File(line(uneven)).refusal().what.starts_with("a stroke is not as many x as y"));
  CHECK(File(line("[[[0,1],[0]]]")).refusal().got == "2 x and 1 y");
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');  // more than the stack
  CHECK(File(line("[" + nested + "]")).refusal().got == "a list of 1");
  CHECK(File(line("[[[" + nested + "],[1]]]")).refusal().got == "a list of 1");
  CHECK(File(line("[]")).refusal().what.starts_with("a drawing has no stroke"));
  for (const char* text : {"{}", "{\"drawing\":1}", "{\"drawing\":[[[0],[0]]}", "{x}"})
    CHECK(File(text).refusal().what.starts_with("this line is no drawing"));
}

TEST_CASE("a file cut short, a web page and a line without end are told before anything is read") {
  const auto told = [](const std::string& text) {
    const File file(text);
    return error_of([&] { file.open(); });
  };
  const ErrorDetails cut = told(good + "\n" + good.substr(0, 30));
  CHECK(cut.what.ends_with("a line is no drawing"));
  CHECK(cut.where.find(", byte " + std::to_string(good.size() + 1)) != std::string::npos);
  CHECK(told("<!doctype html>").hint.find("web page") != std::string::npos);
  CHECK(told("").what.ends_with("a data file is empty"));
  CHECK(told("\n \n").what.ends_with("a data file has no drawing"));
  CHECK(told("{" + std::string(2 << 20, ' ') + "}").what.ends_with("a line is longer than a drawing can be"));
  CHECK(told(std::string(1 << 20, '[')).what.ends_with("a line is no drawing"));
}

TEST_CASE("bitmaps have one size") {
  const ErrorDetails error = error_of([] { open(official, {"fish"}, "bitmaps", 64); });
  CHECK(error.where.starts_with("dataset.size"));
  CHECK(error.hint.find("strokes") != std::string::npos);
}
