// SPDX-License-Identifier: Apache-2.0
// halfling schema and halfling completion tell of every plugin and every option that `halfling plugins`
// lists.
#include <doctest/doctest.h>

#include <set>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;

namespace {

json of_program(const Scratch& scratch, Words words) {
  const Outcome outcome = call(scratch, std::move(words));
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return json::parse(outcome.out);
}

/// The closed object that a table must match with this `use`.
json choice(const json& schema, const std::string& kind, const std::string& name) {
  const json& table = schema["properties"][kind];
  for (const json& one : table.contains("anyOf") ? table["anyOf"][0]["items"]["oneOf"] : table["oneOf"])
    if (one["properties"]["use"].value("enum", json()) == json{name}) return one;
  return {};
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

/// What the script offers at the end of a command line, in this shell; empty words count.
std::set<std::string> offered(const Scratch& scratch, const std::string& shell, const Words& words) {
  const auto script = scratch / ("completion." + shell);
  if (!std::filesystem::exists(script)) write_file(script, call(scratch, {"completion", shell}).out);
  Words command{shell, "-c", "source \"$0\"; _halfling_candidates \"$@\"", script.string()};
  command.insert(command.end(), words.begin(), words.end());
  const Outcome outcome = Process(scratch, command).wait();
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  std::set<std::string> lines;
  std::istringstream stream(outcome.out);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

/// What bash itself would put in place of the last word of the line.
std::string replies(const Scratch& scratch, const std::string& line) {
  const auto script = scratch / "completion.bash";
  write_file(script, call(scratch, {"completion", "bash"}).out);
  const std::string program =
      "source \"$0\"; COMP_LINE=$1; COMP_POINT=${#1}; _halfling; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Outcome outcome = Process(scratch, {"bash", "-c", program, script.string(), line}).wait();
  CHECK(outcome.err == "");
  return outcome.out;
}

bool has_zsh() {
  for (const char* folder : {"/bin/zsh", "/usr/bin/zsh"})
    if (std::filesystem::exists(folder)) return true;
  return false;
}

}  // namespace

TEST_CASE("the schema has one closed object per plugin, with its options") {
  const Scratch scratch;
  const json schema = of_program(scratch, {"schema"});
  CHECK(schema["$schema"] == "http://json-schema.org/draft-04/schema#");
  const json plugins = of_program(scratch, {"plugins", "--format", "json"})["plugins"];
  CHECK(plugins.size() >= 8);
  for (const json& plugin : plugins) {
    const std::string kind = plugin["kind"], name = plugin["name"];
    CAPTURE(kind + "/" + name);
    const json object = choice(schema, kind, name);
    REQUIRE(!object.is_null());
    CHECK(object["additionalProperties"] == false);
    CHECK(object["required"] == json{"use"});
    std::set<std::string> keys{"use"};
    if (kind == "loss_scaler") keys.insert({"scope", "skip", "patience"});
    if (kind == "optimizer") keys.insert({"operation", "schedule"});
    if (kind == "dataset") keys.insert("holdout");
    if (kind == "transform" || kind == "reporter") keys.insert("name");
    if (kind == "reporter") keys.insert("required");
    const json described =
        of_program(scratch, {"plugins", "describe", kind + "/" + name, "--format", "json"});
    for (const json& option : described["options"]) keys.insert(option["name"].get<std::string>());
    CHECK(keys_of(object["properties"]) == keys);
  }
  CHECK(!schema.contains("required"));
}

TEST_CASE("completion offers commands, options, keys, values and plugins") {
  const Scratch scratch;
  for (const std::string shell : {"bash", "zsh"}) {
    if (shell == "zsh" && !has_zsh()) continue;
    CAPTURE(shell);
    CHECK(offered(scratch, shell, {""}).contains("plan"));
    CHECK(offered(scratch, shell, {"run", "-"}).contains("--plugin-path"));
    CHECK(offered(scratch, shell, {"devices", "-"}).contains("--help"));
    CHECK(offered(scratch, shell, {"plan", "--format", ""}) == std::set<std::string>{"text", "json"});
    CHECK(offered(scratch, shell, {"run", "a.toml", "--set", "prec"}).contains("precision.half="));
    const auto halves = offered(scratch, shell, {"run", "--resume", "a.toml", "--set", "precision.half="});
    CHECK(halves.contains("precision.half=bf16"));
    CHECK(!halves.contains("precision.use=mixed"));
    CHECK(offered(scratch, shell, {"run", "--set", "backend.use="}).contains("backend.use=auto"));
    CHECK(offered(scratch, shell, {"run", "--set", "input.shuffle=t"}).contains("input.shuffle=true"));
    CHECK(offered(scratch, shell, {"run", "--set", "transform.fl"}).contains("transform.flip.probability="));
    CHECK(offered(scratch, shell, {"plugins", "describe", ""}).contains("optimizer/adam"));
    CHECK(offered(scratch, shell, {"explain", "--set", "a=1", "a.toml", ""}).contains("optimizer.beta1"));
    CHECK(offered(scratch, shell, {"run", ""}) == std::set<std::string>{"<files>"});
    CHECK(offered(scratch, shell, {"run", "--out", ""}) == std::set<std::string>{"<folders>"});
    CHECK(offered(scratch, shell, {"nothing", ""}) == std::set<std::string>{""});
  }
}

TEST_CASE("bash replaces what follows the last equals sign") {
  const Scratch scratch;
  CHECK(replies(scratch, "halfling comp") == "completion\n");
  CHECK(replies(scratch, "halfling run --set precision.ha") == "precision.half=\n");
  CHECK(replies(scratch, "halfling run --set precision.half=bf") == "bf16\n");
  CHECK(replies(scratch, "halfling run a.toml --res") == "--resume\n");
  CHECK(call(scratch, {"completion", "fish"}).status == 2);
}
