// SPDX-License-Identifier: Apache-2.0
// Chains of transforms over one sample, and what they draw.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "scratch.hpp"
#include "transforms.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

Bytes transformed(const Shape& shape, const Bytes& pixels, std::vector<NamedTransform> transforms,
                  Draw draw = {}) {
  const TransformChain chain({.shape = shape}, std::move(transforms));
  Bytes result(chain.output().bytes());
  std::vector<std::byte> scratch(chain.scratch_bytes());
  const auto to = std::as_writable_bytes(std::span(result));
  std::memcpy(chain.source(to, scratch).data(), pixels.data(), pixels.size());
  chain.apply(to, scratch, draw);
  return result;
}

}  // namespace

TEST_CASE("flip mirrors each row of each channel") {
  const Shape shape{2, 2, 3};
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  CHECK(transformed(shape, pixels, chain(flip(1))) == Bytes{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10});
  CHECK(transformed(shape, pixels, chain(flip(0))) == pixels);
  CHECK(transformed(shape, pixels, {}) == pixels);
}

TEST_CASE("flip moves elements of any size whole") {
  const std::vector<float> values{1, 2, 3, 4};
  std::vector<float> made(4);
  SampleRandom random(1, 2, 3, 4);
  const NamedTransform always = flip(1);
  always.transform->apply({.shape = {1, 2, 2}, .dtype = DType::f32}, std::as_bytes(std::span(values)),
                          std::as_writable_bytes(std::span(made)), random);
  CHECK(made == std::vector<float>{2, 1, 4, 3});
}

TEST_CASE("transforms follow each other, and what changes the shape says so") {
  const Shape shape{2, 3, 3};
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  CHECK(transformed(shape, pixels, chain(corner(2))) == Bytes{1, 2, 4, 5, 11, 12, 14, 15});
  CHECK(transformed(shape, pixels, chain(corner(2), flip(1))) == Bytes{2, 1, 5, 4, 12, 11, 15, 14});
  CHECK(transformed(shape, pixels, chain(flip(1), corner(2))) == Bytes{3, 2, 6, 5, 13, 12, 16, 15});
  CHECK(transformed(shape, pixels, chain(flip(1), flip(1, "b"), corner(2), flip(1, "c"), corner(1, "d"))) ==
        Bytes{2, 12});
  CHECK(TransformChain({.shape = shape}, chain(corner(2))).output().shape == Shape{2, 2, 2});
  const ErrorDetails error =
      error_of([&] { TransformChain({.shape = shape}, chain(corner(2, "first"), corner(3, "second"))); });
  CHECK(error.where == "transform.second.size");
  CHECK(error.kind == ErrorKind::usage);
}

TEST_CASE("random numbers are those of Philox, and differ by seed, transform, epoch and sample") {
  SampleRandom random(0x1'0000'0002, 7, 0x3'0000'0004, 0x5'0000'0006);
  const PhiloxWords key = philox({7, 0, 4, 3}, {2, 1});
  for (std::uint32_t i = 0; i < 9; ++i)
    CHECK(random.word() == philox({i / 4, 0, 6, 5}, {key[0], key[1]})[i % 4]);
  std::set<std::uint32_t> words;
  const std::uint64_t high = std::uint64_t{1} << 32;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, high})
    for (const std::uint32_t stream : {0u, 1u})
      for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{1}, high})
        for (const std::uint64_t sample : {std::uint64_t{0}, std::uint64_t{1}, high})
          words.insert(
              SampleRandom(seed, stream, static_cast<std::int64_t>(epoch), static_cast<std::int64_t>(sample))
                  .word());
  CHECK(words.size() == 54);
  SampleRandom dice(1, 2, 3, 4);
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 6000; ++i) ++counts[dice.integer(-2, 3)];
  CHECK(counts.size() == 6);
  for (const auto& [value, count] : counts) CHECK(std::abs(count - 1000) < 150);  // 5 deviations
}
