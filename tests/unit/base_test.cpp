// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "halfling/error.hpp"
#include "halfling/option.hpp"
#include "halfling/pattern.hpp"
#include "halfling/shape.hpp"

using namespace halfling;

TEST_CASE("an error's text has its parts in order and leaves out the empty ones") {
  const Error error(
      {.what = "cannot read", .where = "a.toml:3:1", .expected = "a number", .hint = "write 1"});
  CHECK(std::string(error.what()) ==
        "cannot read\n  where: a.toml:3:1\n  expected: a number\n  hint: write 1");
  CHECK(error.details().kind == ErrorKind::failure);
}

TEST_CASE("a shape knows its rank, elements and text") {
  const Shape image{64, 1, 28, 28};
  CHECK(image.rank() == 4);
  CHECK(image.elements() == 64 * 28 * 28);
  CHECK(image.text() == "[64, 1, 28, 28]");
  CHECK(Shape{}.elements() == 1);
  CHECK(Shape{}.text() == "[]");
  CHECK(Shape{2, 3} == Shape{2, 3});
  CHECK(Shape{2, 3} != Shape{2, 3, 1});
  CHECK_THROWS_AS((Shape{1, 2, 3, 4, 5}), Error);
}

TEST_CASE("options give what was set, and refuse other names and types") {
  Options options;
  options.set("on", true);
  options.set("count", std::int64_t{3});
  options.set("rate", 0.5);
  options.set("names", std::vector<std::string>{"a", "b"});
  options.set("half", std::string("auto"));
  CHECK(options.boolean("on"));
  CHECK(options.integer("count") == 3);
  CHECK(options.number("rate") == 0.5);
  CHECK(options.number("count") == 3.0);
  CHECK(options.string("half") == "auto");
  CHECK(options.strings("names").size() == 2);
  CHECK_THROWS_AS(options.integer("rate"), std::logic_error);
  CHECK_THROWS_AS(options.number("half"), std::logic_error);
  CHECK_THROWS_AS(options.boolean("off"), std::logic_error);
}

TEST_CASE("a star in a pattern stands for any characters, also none, and nothing else is special") {
  for (const auto& [pattern, name] : {std::pair{"", ""},
                                      {"*", ""},
                                      {"*", "d.conv1"},
                                      {"d.*", "d."},
                                      {"d.*", "d.conv1"},
                                      {"*conv*", "d.conv1"},
                                      {"*.conv1", "d.conv1"},
                                      {"a*b*c", "abxbxc"},
                                      {"**", "x"},
                                      {"d.conv?", "d.conv?"},
                                      {"[ab]", "[ab]"}})
    CHECK_MESSAGE(matches(pattern, name), pattern, " ", name);
  for (const auto& [pattern, name] : {std::pair{"", "a"},
                                      {"d.*", "d"},
                                      {"a*b*c", "abxbx"},
                                      {"d.conv?", "d.conv1"},
                                      {"[ab]", "a"},
                                      {"ab", "abc"},
                                      {"*ab", "aab."}})
    CHECK_MESSAGE(!matches(pattern, name), pattern, " ", name);
  CHECK(!matches(std::string(60, '*') + "b", std::string(1000, 'a')));
  std::string stars;
  for (int i = 0; i < 60; ++i) stars += "*a";
  CHECK(!matches(stars + "b", std::string(1000, 'a')));
}
