// SPDX-License-Identifier: Apache-2.0
// What is drawn with a trained generator, and where it goes from here.
#include <doctest/doctest.h>

#include "program.hpp"
#include "run/png.hpp"

using namespace halfling;
using namespace halfling::test;

TEST_CASE("sample draws from any kept checkpoint, and between two z") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet", "--set", "checkpoint.every=\"5it\"", "--set", "checkpoint.keep=3"}).status ==
          0);
  const std::string run = bench.folders().front().string();
  const std::string grid = (bench.scratch() / "grid.png").string();
  const auto sample = [&](Words more) {
    Words words{"sample", run, "--out", grid};
    words.insert(words.end(), more.begin(), more.end());
    return call(bench.scratch(), words);
  };
  CHECK(sample({"--checkpoint", "5"}).status == 0);
  CHECK(read_file(grid) == read_file(run + "/samples/00000005.png"));
  const Outcome none = sample({"--checkpoint", "6"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "one of 5, 10, 12, or a file"));

  CHECK(sample({"--interpolate", "6", "--classes", "0,2"}).status == 0);
  const Image way = read_png(grid);
  CHECK(way.width == 6 * 56 + 5 * 4 + 2 * 8);
  CHECK(way.height == 2 * 56 + 4 + 2 * 8);
  // Its ends are the first images of the grids of both seeds.
  const auto corner = [&](const Image& image, int column) {
    std::vector<std::uint8_t> pixels;
    for (int y = 8; y < 64; ++y)
      for (int x = 0; x < 56; ++x)
        pixels.push_back(image.pixels[static_cast<std::size_t>(y * image.width + 8 + column * 60 + x)]);
    return pixels;
  };
  CHECK(sample({"--rows", "1", "--classes", "0"}).status == 0);
  CHECK(corner(way, 0) == corner(read_png(grid), 0));
  CHECK(sample({"--rows", "1", "--classes", "0", "--seed", "2"}).status == 0);
  CHECK(corner(way, 5) == corner(read_png(grid), 0));
  CHECK(corner(way, 2) != corner(way, 3));
  CHECK(contains(sample({"--interpolate", "1"}).err, "2 to 256"));
}

TEST_CASE("export writes the generator, and says what it cannot") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const std::string run = bench.folders().front().string();
  const std::string file = (bench.scratch() / "generator.onnx").string();
  const Outcome outcome = call(bench.scratch(), {"export", run, "--out", file});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string model = read_file(file);  // suite peer runs it
  for (const char* part : {"ConvTranspose", "g.deconv3.weight", "BatchNormalization", "class 2", "samples"})
    CHECK_MESSAGE(contains(model, part), part);
  CHECK(call(bench.scratch(), {"export", run, "--out", "generator.pt"}).status == 2);
  CHECK(call(bench.scratch(), {"export", bench.out(), "--out", file}).status == 2);
  CHECK(
      contains(call(bench.scratch(), {"export", run, "--out", file, "--checkpoint", "3"}).err, "one of 12"));
}
