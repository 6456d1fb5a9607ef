// SPDX-License-Identifier: Apache-2.0
// halfling plugins path: the folders of the user's configuration.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin_folder.hpp"
#include "program.hpp"

using nlohmann::json;
using namespace sdk_test;
namespace fs = std::filesystem;

namespace {

/// The environment names a configuration folder that does not exist yet, for as long as it lives.
struct Configuration {
  PluginFolder home{};
  fs::path file = home.path() / "config" / "halfling" / "config.toml";
  Configuration() { setenv("XDG_CONFIG_HOME", (home.path() / "config").c_str(), 1); }
  ~Configuration() { unsetenv("XDG_CONFIG_HOME"); }
  void write(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
};

bool finds_good() {
  return call("plugins describe loss_scaler/good").status == 0;
}

}  // namespace

TEST_CASE("a folder that was added is searched until it is removed, and told of with who named it") {
  const Configuration configuration;
  const PluginFolder mine{"good"}, named{};
  CHECK_FALSE(finds_good());
  CHECK(call("plugins path add '" + mine.path().string() + "/./'").status == 0);
  CHECK(finds_good());
  CHECK(call("plugins path add '" + mine.path().string() + "'").status == 0);  // and stays there once

  const Outcome text = call("plugins --plugin-path " + named.path().string());
  CHECK(contains(text.output, configuration.file.string()));
  const json listed = json::parse(
      call("plugins --format json --plugin-path " + named.path().string(), "2>/dev/null").output)["folders"];
  REQUIRE(listed.size() == 3);
  CHECK(listed[0] == json({{"folder", named.path().string()}, {"from", "--plugin-path"}}));
  CHECK(listed[1] == json({{"folder", mine.path().string()}, {"from", configuration.file.string()}}));
  CHECK(listed[2]["from"] == "halfling");
  CHECK(json::parse(call("plugins path --format json", "2>/dev/null").output).size() == 2);

  CHECK(call("plugins path remove '" + mine.path().string() + "'").status == 0);
  CHECK_FALSE(finds_good());
  CHECK(call("plugins path remove '" + mine.path().string() + "'").status == 2);
}

TEST_CASE("a folder that has gone is an error that says how to forget it") {
  const Configuration configuration;
  const fs::path gone = configuration.home.path() / "a \"quoted\" folder";
  fs::create_directory(gone);
  REQUIRE(call("plugins path add '" + gone.string() + "'").status == 0);
  fs::remove(gone);
  const Outcome outcome = call("plugins");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.output, configuration.file.string()));
  CHECK(contains(outcome.output, "halfling plugins path remove"));
  CHECK(call("plugins path remove '" + gone.string() + "'").status == 0);
  CHECK(call("plugins").status == 0);
  CHECK(call("plugins path add '" + gone.string() + "'").status == 2);
}

TEST_CASE("a damaged configuration is one error with its place, and is not written over") {
  const Configuration configuration;
  const std::pair<const char*, const char*> damages[] = {
      {"[plugins\npath = []\n", "config.toml:1:"},
      {"[plugins]\npath = \"/tmp\"\n", "config.toml:2:8"},
      {"[plugins]\npath = [\n  3]\n", "config.toml:3:3"},
      {"[plugins]\npath = [\"relative\"]\n", "config.toml:2:9"},
      {"[plugins]\npaths = []\n", "a key that nobody knows"},
      {"plugins = 1\n", "config.toml:1:11"},
      {"\xff\xfe", "config.toml"},
  };
  for (const auto& [text, part] : damages) {
    configuration.write(text);
    for (const char* words : {"plugins", "plugins path add /tmp"}) {
      const Outcome outcome = call(words);
      CAPTURE(outcome.output);
      CHECK(outcome.status == 2);
      CHECK(contains(outcome.output, part));
    }
    std::ifstream file(configuration.file, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
  }
}

TEST_CASE("path says what it takes, and where there is no place for a configuration") {
  const Configuration configuration;
  for (const char* words : {"plugins path add", "plugins path drop /tmp", "plugins describe adam more"})
    CHECK(call(words).status == 2);
  fs::create_directory(configuration.home.path() / "config");
  fs::create_directories(configuration.file);  // a folder in the file's place
  CHECK(call("plugins").status == 2);
}
