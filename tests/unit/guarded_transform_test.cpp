// SPDX-License-Identifier: Apache-2.0
// The boundary of transforms.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "guarded.hpp"
#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;
using halfling::test::guarded;
using halfling::test::place;

namespace {

/// A transform that a test spoils.
class Spoilt : public Transform {
 public:
  SampleFormat output(const SampleFormat&) const override { return made; }
  void apply(const SampleFormat&, std::span<const std::byte>, std::span<std::byte>,
             SampleRandom&) const override {
    throw std::runtime_error("no sample is like this");
  }
  SampleFormat made{.shape = {1, 2, 2}};
};

}  // namespace

TEST_CASE("what a transform makes is checked where it enters, and what it throws names it") {
  const auto made = [](SampleFormat format) {
    auto transform = std::make_unique<Spoilt>();
    transform->made = format;
    const auto checked = guarded<Transform>(std::move(transform));
    return error_of([&] { checked->output({.shape = {1, 4, 4}}); });
  };
  CHECK(made({.shape = {3, 2, 2}}).what.empty());
  CHECK(made({.shape = {2, 2}}).got == "u8 [2, 2]");
  CHECK(made({.shape = {1, 0, 2}}).got == "u8 [1, 0, 2]");
  CHECK(made({.shape = {1, 2, 2}, .dtype = DType::f32}).got == "f32 [1, 2, 2]");
  CHECK(made({.shape = {3, 2, 2}, .values = ValueRange{{-1, 0, 1}, {1, 1, 2}}}).what.empty());
  for (const ValueRange& none : {ValueRange{{0, 0}, {1, 1}}, ValueRange{{0}, {0}}, ValueRange{{0}, {NAN}},
                                 ValueRange{{}, {}}, ValueRange{{0, 0, 0}, {1}}})
    CHECK(made({.shape = {3, 2, 2}, .values = none}).what.ends_with("a range of values that is none"));
  CHECK(made({.shape = {2, 2}}).where == place("Transform::output", "transform"));
  const auto transform = guarded<Transform>(std::make_unique<Spoilt>());
  SampleRandom random(1, 2, 3, 4);
  const ErrorDetails error = error_of([&] { transform->apply({}, {}, {}, random); });
  CHECK(error.where == place("Transform::apply", "transform"));
  CHECK(error.got == "no sample is like this");
}
