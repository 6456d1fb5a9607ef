// SPDX-License-Identifier: Apache-2.0
// The program as a user runs it: `halfling plugins` and the frame of commands.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin_folder.hpp"

using nlohmann::json;

namespace {

struct Outcome {
  int status;
  std::string output;
};

// Runs the program through the shell; both streams together unless `redirection` says otherwise.
Outcome halfling(const std::string& arguments, const std::string& redirection = "2>&1") {
  const std::string line = "'" HALFLING_PROGRAM "' " + arguments + " " + redirection;
  FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), count);
  }
  return {WEXITSTATUS(pclose(pipe)), output};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("help and version") {
  const Outcome help = halfling("--help", "2>/dev/null");
  CHECK(help.status == 0);
  CHECK(contains(help.output, "plugins"));
  CHECK(contains(halfling("--version").output, "halfling "));
  const Outcome command = halfling("plugins --help");
  CHECK(command.status == 0);
  CHECK(contains(command.output, "--plugin-path DIR"));
}

TEST_CASE("a wrong command line has status 2 and a hint") {
  CHECK(halfling("").status == 2);
  const Outcome command = halfling("plugin");
  CHECK(command.status == 2);
  CHECK(contains(command.output, "did you mean \"plugins\"?"));
  const Outcome option = halfling("plugins --formt json");
  CHECK(option.status == 2);
  CHECK(contains(option.output, "did you mean --format?"));
  CHECK(halfling("plugins --form json").status == 2);  // no abbreviations
  CHECK(halfling("plugins --format xml").status == 2);
  CHECK(halfling("plugins --format").status == 2);
  CHECK(halfling("plugins describe a b").status == 2);
  CHECK(halfling("plugins describe no-such-plugin").status == 2);
  CHECK(halfling("plugins --plugin-path /nowhere").status == 2);
}

TEST_CASE("a result that cannot be written is a failure") {
  CHECK(halfling("plugins", "2>&1 >/dev/full").status == 1);
}

TEST_CASE("plugins lists what was taken and what was refused") {
  const PluginFolder folder{"good", "wrong_abi"};
  const std::string here = "--plugin-path " + folder.path().string();
  const Outcome text = halfling("plugins " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "loss_scaler"));
  CHECK(contains(text.output, "a scale that never changes"));
  const Outcome result = halfling("plugins --format json " + here, "2>/dev/null");
  const json listed = json::parse(result.output);
  bool found = false;
  for (const json& plugin : listed["plugins"])
    found |= plugin["name"] == "good" && plugin["version"] == "1.2.3";
  CHECK(found);
  REQUIRE(listed["refusals"].size() == 1);
  CHECK(listed["refusals"][0]["got"] == "version 99");
}

TEST_CASE("describe gives a plugin's options") {
  const PluginFolder folder{"good"};
  const std::string here = "--plugin-path " + folder.path().string();
  const Outcome text = halfling("plugins describe good " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "1 to 1000000000"));
  CHECK(contains(text.output, "fp16|bf16|auto"));
  CHECK(contains(text.output, "required"));
  const Outcome result = halfling("plugins describe loss_scaler/good --format json " + here, "2>/dev/null");
  const json described = json::parse(result.output);
  REQUIRE(described["options"].size() == 3);
  CHECK(described["options"][0]["default"] == "65536");
  CHECK(described["options"][1]["choices"] == json({"fp16", "bf16", "auto"}));
  CHECK(described["options"][2]["required"] == true);
}

TEST_CASE("devices says for every format how it is computed, and why a backend has no device") {
  const PluginFolder folder{"backend_without_device"};
  const std::string here = "--plugin-path " + folder.path().string();
  const Outcome text = halfling("devices " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "reference"));
  CHECK(contains(text.output, "absent: no device; the driver is missing"));
  const json listed = json::parse(halfling("devices --format json " + here, "2>/dev/null").output);
  for (const json& backend : listed) {
    if (backend["backend"] == "absent") CHECK(backend["unavailable"] == "the driver is missing");
    if (backend["backend"] != "reference") continue;
    REQUIRE(backend["devices"].size() == 1);
    CHECK(backend["devices"][0]["formats"]["f64"] == "native");
    CHECK(backend["devices"][0]["formats"].size() == 5);
  }
}
