// SPDX-License-Identifier: Apache-2.0
// Files that are made, or happen, to be hard on the reader.
#include "experiment_load.hpp"

using namespace halfling;
using namespace halfling::testing;

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

constexpr const char* too_deep = "keys and brackets are nested more than 256 deep here";

}  // namespace

TEST_CASE("files that extend one file by ever more ways end with one error") {
  const Folder folder;
  folder.write("d0.toml", base);
  for (int i = 1; i <= 40; ++i) {
    const std::string below = "\"d" + std::to_string(i - 1) + ".toml\"";
    folder.write("d" + std::to_string(i) + ".toml", "extends = [" + below + ", " + below + "]\n");
  }
  CHECK(only(load(folder.path() / "d5.toml")).name == "base");
  const std::string errors = errors_of(folder.path() / "d40.toml");
  CHECK(contains(errors, "more than 256 files are extended"));
  CHECK(errors.find("error[") == errors.rfind("error["));
}

TEST_CASE("a chain of very many files is refused") {
  const Folder folder;
  folder.write("c0.toml", base);
  for (int i = 1; i <= 300; ++i)
    folder.write("c" + std::to_string(i) + ".toml", "extends = [\"c" + std::to_string(i - 1) + ".toml\"]\n");
  CHECK(only(load(folder.path() / "c200.toml")).name == "base");
  CHECK(contains(errors_of(folder.path() / "c300.toml"), "more than 256 files are extended"));
}

TEST_CASE("a fault of a file that is extended twice is told once") {
  const Folder folder;
  folder.write("a.toml", "x = \n");
  const std::string errors = errors_of(folder.write("b.toml", "extends = [\"a.toml\", \"a.toml\"]\n"));
  CHECK(contains(errors, "a.toml:1:"));
  CHECK(errors.find("error[") == errors.rfind("error["));
}

TEST_CASE("deep nesting is refused in every form") {
  const Folder folder;
  const std::string deep = "a" + repeated(".a", 20000);
  const auto expect_refused = [&](const std::string& more) {
    const std::string errors = errors_of(folder.write("a.toml", base + more));
    CHECK_MESSAGE(contains(errors, too_deep), more.substr(0, 40));
    CHECK(errors.size() < 1000);  // the line is not shown in full
  };
  expect_refused(deep + " = 1\n");
  expect_refused("[" + deep + "]\n");
  expect_refused("[[" + deep + "]]\n");
  expect_refused("[input]\nx = { " + deep + " = 1 }\n");
  expect_refused("[input]\nx = " + repeated("[", 20000) + "\n");
  expect_refused("[input]\nx = " + repeated("{a.a.a.a=", 200) + "1" + repeated("}", 200) + "\n");
  const auto file = folder.write("b.toml", base);
  CHECK(contains(errors_of(file, {"input.batch_size=\"{" + deep + " = 1}\""}), "is a string"));
  CHECK(contains(errors_of(file, {deep + "=1"}), too_deep));
  CHECK(contains(errors_of(file, {deep + "=word"}), too_deep));
  CHECK(contains(errors_of(file, {"sweep.matrix.\"" + deep + "\"=[1, 2]"}), "cannot be swept"));
}

TEST_CASE("dots and brackets that nest nothing are no nesting") {
  const Folder folder;
  const std::string numbers = "x = [" + repeated("1.5, ", 1000) + "1.5]\n";
  const std::string texts = "y = \"" + repeated(".[\\\"", 1000) + "\"\nz = '''\n" + repeated(".['\n", 400) +
                            "'''\nw = \"\"\"" + repeated(".[\"x\n", 400) + "\"\"\"\n";
  const std::string tables = "t = [" + repeated("{ a.b = [1] },\n", 400) + "]\n";
  const std::string comment = "# " + repeated(".[{", 1000) + "\n";
  const std::string errors =
      errors_of(folder.write("a.toml", base + "[other]\n" + numbers + texts + tables + comment));
  CHECK_FALSE(contains(errors, "nested"));
  CHECK(contains(errors, "unknown table"));
}

TEST_CASE("control characters of a file are shown as escapes") {
  const Folder folder;
  const std::string head = base + "[input]\n";
  for (const std::string& text :
       {head + "x = \"a" + std::string(1, '\0') + "b\"\n", head + "x = \"\x1b[2J\"\n",
        head + "\"k\\u0000\\u001b[2J\\n\" = 1\n", head + "batch_size = \"\\u001b[2J\\u009b\"\n"}) {
    const std::string errors = errors_of(folder.write("a.toml", text));
    for (const char c : errors) CHECK((c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20));
    CHECK_FALSE(contains(errors, "\xC2\x9B"));
    CHECK(contains(errors, "\\u00"));
  }
}

TEST_CASE("a caret stands under its column after an escaped character and in a long line") {
  const Folder folder;
  const auto caret_under = [&](const std::string& text, const std::string& word) {
    const std::string errors = errors_of(folder.write("a.toml", text));
    CAPTURE(errors);
    const std::size_t line = errors.find(" | "), caret = errors.find(" | ", line + 3);
    REQUIRE(caret != std::string::npos);
    const std::size_t column = errors.find('^') - caret;
    CHECK(errors.substr(line + column, word.size()) == word);
  };
  caret_under(base + "[input]\n\"\x01\" = 1\n", "\\u0001");
  caret_under("input = { prefetch = 4, " + std::string(1000, ' ') + "colour = 1 }\n" + base, "colour");
}

TEST_CASE("a number too large for any integer is called so") {
  const Folder folder;
  const std::string errors =
      errors_of(folder.write("a.toml", base + "[input]\nbatch_size = 99999999999999999999\n"));
  CHECK(contains(errors, "too large"));
  CHECK(contains(errors, "an integer from 1 to 1048576"));
  CHECK(contains(errors_of(folder.write("b.toml", base + "[vars]\nx = 99999999999999999999\n")), "99999.0"));
}

TEST_CASE("the unit that a number lacks is proposed only where the number would do") {
  const Folder folder;
  const auto message = [&](const std::string& value) {
    return errors_of(folder.write("a.toml", base + "[metrics]\nevery = " + value + "\n"));
  };
  CHECK(contains(message("5"), "\"5s\" or \"5it\""));
  CHECK_FALSE(contains(message("0"), "\"0it\""));
  CHECK_FALSE(contains(message("0.0"), "\"0s\""));
  CHECK_FALSE(contains(message("-3"), "\"-3it\""));
  CHECK_FALSE(contains(message("1.5"), "\"1.5it\""));
}
