// SPDX-License-Identifier: Apache-2.0
// halfling new, as far as it writes; templates/test.sh builds what it wrote.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "plugin/registry.hpp"
#include "plugin_folder.hpp"
#include "program.hpp"

using namespace sdk_test;
namespace fs = std::filesystem;

namespace {

/// `halfling new` in that folder.
Outcome make(const PluginFolder& folder, const std::string& words) {
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const Outcome outcome = call("new " + words);
  fs::current_path(before);
  return outcome;
}

}  // namespace

TEST_CASE("new begins a plugin of every kind but a backend, whose beginning it names") {
  const PluginFolder folder{};
  for (const std::string& kind : halfling::plugin_kinds()) {
    const Outcome outcome = make(folder, kind + " my-" + kind);
    CAPTURE(outcome.output);
    const bool made = fs::exists(folder.path() / ("my-" + kind) / ("my-" + kind + ".cpp"));
    CHECK(made == (kind != "backend"));
    CHECK(outcome.status == (made ? 0 : 2));
    if (!made) CHECK(contains(outcome.output, "tests/sdk/backend"));
  }
  CHECK(make(folder, "policy p").status == 0);
  CHECK(make(folder, "loss-scaler s").status == 0);
  CHECK(contains(make(folder, "optimiser o").output, "did you mean \"optimizer\"?"));
}

TEST_CASE("new leaves what is there alone") {
  const PluginFolder folder{};
  fs::create_directory(folder.path() / "mine");
  std::ofstream(folder.path() / "file") << "mine";
  fs::create_symlink("nowhere", folder.path() / "link");
  for (const char* name : {"mine", "file", "link"}) {
    const Outcome outcome = make(folder, std::string("optimizer ") + name);
    CAPTURE(outcome.output);
    CHECK(outcome.status == 2);
  }
  CHECK(fs::is_empty(folder.path() / "mine"));
  CHECK(fs::file_size(folder.path() / "file") == 4);
  CHECK_FALSE(fs::exists(folder.path() / "nowhere"));
}

TEST_CASE("new refuses a name that could not be a plugin's, and one that a plugin of the kind has") {
  const PluginFolder folder{};
  for (const char* name :
       {"../up", "a/b", "Mine", "1st", "''", "a.b", "'a b'", "$(printf %065d 0 | tr 0 a)"}) {
    const Outcome outcome = make(folder, std::string("optimizer ") + name);
    CAPTURE(name);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.output, "cannot be the name"));
  }
  CHECK(contains(make(folder, "optimizer adam").output, "a plugin optimizer/adam already"));
  CHECK(make(folder, "optimizer").status == 2);
  CHECK(fs::is_empty(folder.path()));
  CHECK(make(folder, "transform adam").status == 0);
}
