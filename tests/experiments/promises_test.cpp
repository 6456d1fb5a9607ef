// SPDX-License-Identifier: Apache-2.0
// What a user is told of a crowded plugin folder.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// A folder of files that are called plugins and are none.
fs::path bad_plugins(const Scratch& scratch, int count) {
  fs::create_directory(scratch / "bad");
  for (int i = 0; i < count; ++i)
    write_file(scratch / ("bad/" + std::to_string(i) + "\x1b[2J.so"), "no library");
  return scratch / "bad";
}

std::ptrdiff_t lines_with(const std::string& text, std::string_view part) {
  std::istringstream stream(text);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(stream, line);) count += contains(line, part) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("ten thousand bad plugins are one note with a count, and hold nothing up") {
  const Bench bench;
  const std::string folder = bad_plugins(bench.scratch(), 10000).string();
  const Outcome plan = call(bench.scratch(), {"plan", bench.file(), "--plugin-path", folder});
  CAPTURE(plan.err.substr(0, 1000));
  CHECK(plan.status == 0);
  CHECK(lines_with(plan.out + plan.err, "passed over") == 1);
  CHECK(contains(plan.out + plan.err, "10000 plugin files were passed over, the first is "));
  CHECK(!contains(plan.out + plan.err, "\x1b"));
  const Outcome few = call(bench.scratch(), {"plugins", "--plugin-path", folder});
  CHECK(lines_with(few.out, "bad/") == 10);
  CHECK(contains(few.out, "... and 9990 more, which --verbose lists"));
  const Outcome all = call(bench.scratch(), {"plugins", "--verbose", "--plugin-path", folder});
  CHECK(lines_with(all.out, "bad/") == 10000);
}

TEST_CASE("a few bad plugins are named one by one") {
  const Bench bench;
  const std::string folder = bad_plugins(bench.scratch(), 2).string();
  const Outcome plan = call(bench.scratch(), {"plan", bench.file(), "--plugin-path", folder});
  CHECK(plan.status == 0);
  CHECK(lines_with(plan.out + plan.err, "was passed over: the file is no shared library") == 2);
}
