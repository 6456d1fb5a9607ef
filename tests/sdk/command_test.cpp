// SPDX-License-Identifier: Apache-2.0
// The program as a user runs it: `halfling plugins` and the frame of commands.
#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "plugin_folder.hpp"
#include "program.hpp"

using nlohmann::json;

using namespace sdk_test;

TEST_CASE("help and version") {
  const Outcome help = call("--help", "2>/dev/null");
  CHECK(help.status == 0);
  CHECK(contains(help.output, "plugins"));
  const std::string version = call("--version").output;
  CAPTURE(version);
  CHECK(std::regex_match(version, std::regex("halfling [0-9.]+\n"
                                             "commit: (unknown|[0-9a-f]{12}(, changed)?)\n"
                                             "built with: (gcc|clang) .*, optimization .*\n"
                                             "backends: .*reference.*\n"
                                             "plugins must match: .*\n")));
  const Outcome command = call("plugins --help");
  CHECK(command.status == 0);
  CHECK(contains(command.output, "--plugin-path DIR"));
}

TEST_CASE("a library that ends the process while it is loaded is refused, and ends nothing") {
  const PluginFolder folder{"static_throw", "static_exit", "good"};
  const Outcome outcome =
      call("plugins --format json --plugin-path " + folder.path().string(), "2>/dev/null");
  CHECK(outcome.status == 0);
  const json plugins = json::parse(outcome.output);
  std::map<std::string, std::string> refused;
  for (const json& refusal : plugins["refusals"]) refused[refusal["file"]] = refusal.dump();
  CHECK(refused.size() == 2);
  CHECK(contains(refused[folder.file("static_throw")], "a static constructor threw"));
  CHECK(contains(refused[folder.file("static_exit")], "it called exit"));
  CHECK(contains(call("plugins describe good --plugin-path " + folder.path().string()).output, "good 1.2.3"));
}

TEST_CASE("a library is tried once, and again when its file is another") {
  const PluginFolder cache{}, folder{"good"};
  const auto listed = [&] {
    const std::string line = "plugins --plugin-path " + folder.path().string();
    const std::string before = "XDG_CACHE_HOME=" + cache.path().string();
    return call(line, "2>&1", before).output;
  };
  const auto tried = [&] {
    std::ifstream stream(cache.path() / "halfling" / "plugins" / "loaded.txt");
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  CHECK(contains(listed(), "good"));
  const std::string first = tried();
  CHECK(contains(first, folder.file("good").string() + "\n"));
  CHECK(contains(first, "halfling-optimizer-adam"));
  listed();
  CHECK(tried() == first);
  std::filesystem::remove(folder.file("good"));
  folder.add("static_throw", "good");
  CHECK(contains(listed(), "a static constructor threw"));
  std::ofstream(cache.path() / "halfling" / "plugins" / "loaded.txt") << "nonsense\n\n1 2 3\n";
  CHECK(contains(listed(), "a static constructor threw"));
}

TEST_CASE("a wrong command line has status 2 and a hint") {
  CHECK(call("").status == 2);
  const Outcome command = call("plugin");
  CHECK(command.status == 2);
  CHECK(contains(command.output, "did you mean \"plugins\"?"));
  const Outcome option = call("plugins --formt json");
  CHECK(option.status == 2);
  CHECK(contains(option.output, "did you mean --format?"));
  CHECK(call("plugins --form json").status == 2);  // no abbreviations
  CHECK(call("plugins --format xml").status == 2);
  CHECK(call("plugins --format").status == 2);
  CHECK(call("plugins describe a b").status == 2);
  CHECK(call("plugins describe no-such-plugin").status == 2);
  CHECK(call("plugins --plugin-path /nowhere").status == 2);
}

TEST_CASE("help and version are found under the names that people try") {
  CHECK(call("-V").output == call("--version").output);
  CHECK(call("version").output == call("--version").output);
  const Outcome help = call("help run");
  CHECK(help.status == 0);
  CHECK(help.output == call("run --help").output);
  CHECK(call("run -h").output == help.output);
  CHECK(call("help no-such-command").status == 2);
}

TEST_CASE("words of other programs get the word of this one") {
  const std::pair<const char*, const char*> guesses[] = {
      {"validate x.toml", "`halfling plan EXPERIMENT`"},
      {"list", "`halfling plugins`"},
      {"template", "`halfling new KIND NAME` a plugin"},
      {"show x.toml", "`halfling explain EXPERIMENT`"},
      {"train x.toml", "`halfling run EXPERIMENT`"},
      {"--seed 3 run x.toml", "options follow the command"},
      {"run x.toml --seed 3", "did you mean --set experiment.seed=VALUE?"},
      {"run x.toml --batch-size 3", "did you mean --set input.batch_size=VALUE?"},
      {"run x.toml --learning-rate=3", "did you mean --set optimizer.learning_rate=VALUE?"},
      {"run x.toml --precision fp32", "did you mean --set precision.use=VALUE?"},
      {"plan x.toml --device cpu", "did you mean --set backend.use=NAME?"},
      {"run x.toml --dry-run", "`halfling plan EXPERIMENT` checks"},
      {"run x.toml --sett a=b", "did you mean --set?"},
      {"report x --output y", "did you mean --out?"},
      {"devices --json", "did you mean --format json?"},
  };
  for (const auto& [words, hint] : guesses) {
    const Outcome outcome = call(words);
    CAPTURE(words);
    CAPTURE(outcome.output);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.output, hint));
  }
  CHECK_FALSE(contains(call("diff a b --seed 3").output, "--set"));  // which it does not take
  CHECK(call("plugins --plugin_path /nowhere").output == call("plugins --plugin-path /nowhere").output);
}

TEST_CASE("a backend that was not built is no misspelt one, and no choice says what each lacks") {
  const PluginFolder folder{"backend_without_device"};
  std::ofstream(folder.path() / "optional-plugins.txt") << "backend dear it was too dear\n";
  const std::string here = " --plugin-path " + folder.path().string();
  const std::string file = (folder.path() / "x.toml").string();
  REQUIRE(call("init " + file).status == 0);
  const Outcome named = call("plan " + file + " --set backend.use=dear" + here);
  CHECK(named.status == 2);
  CHECK(contains(named.output, "backend \"dear\" was not built"));
  CHECK(contains(named.output, "hint: it was too dear"));
  CHECK(contains(call("devices" + here).output, "dear: no device; not built, it was too dear\n"));
  CHECK(contains(call("plugins" + here).output, "not built: backend dear, it was too dear\n"));
  const Outcome described = call("plugins describe dear" + here);
  CHECK(described.status == 2);
  CHECK(contains(described.output, "was not built"));
  const json listed = json::parse(call("plugins --format json" + here, "2>/dev/null").output);
  CHECK(listed["not_built"][0]["lacking"] == "it was too dear");
}

TEST_CASE("a result that cannot be written is a failure") {
  CHECK(call("plugins", "2>&1 >/dev/full").status == 1);
}

TEST_CASE("plugins lists what was taken and what was refused") {
  const PluginFolder folder{"good", "wrong_abi"};
  const std::string here = "--plugin-path " + folder.path().string();
  const Outcome text = call("plugins " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "loss_scaler"));
  CHECK(contains(text.output, "a scale that never changes"));
  const Outcome result = call("plugins --format json " + here, "2>/dev/null");
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
  const Outcome text = call("plugins describe good " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "1 to 1000000000"));
  CHECK(contains(text.output, "fp16|bf16|auto"));
  CHECK(contains(text.output, "required"));
  const Outcome result = call("plugins describe loss_scaler/good --format json " + here, "2>/dev/null");
  const json described = json::parse(result.output);
  REQUIRE(described["options"].size() == 3);
  CHECK(described["options"][0]["default"] == "65536");
  CHECK(described["options"][1]["choices"] == json({"fp16", "bf16", "auto"}));
  CHECK(described["options"][2]["required"] == true);
}

TEST_CASE("devices says for every format how it is computed, and why a backend has no device") {
  const PluginFolder folder{"backend_without_device"};
  const std::string here = "--plugin-path " + folder.path().string();
  const Outcome text = call("devices " + here);
  CHECK(text.status == 0);
  CHECK(contains(text.output, "reference"));
  CHECK(contains(text.output, "absent: no device; the driver is missing"));
  const json listed = json::parse(call("devices --format json " + here, "2>/dev/null").output);
  for (const json& backend : listed) {
    if (backend["backend"] == "absent") CHECK(backend["unavailable"] == "the driver is missing");
    if (backend["backend"] != "reference") continue;
    REQUIRE(backend["devices"].size() == 1);
    CHECK(backend["devices"][0]["formats"]["f64"] == "native");
    CHECK(backend["devices"][0]["formats"].size() == 5);
  }
}
