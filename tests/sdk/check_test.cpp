// SPDX-License-Identifier: Apache-2.0
// `halfling plugins check`: an author learns all that the host has to say about a file.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiment/declared_options.hpp"
#include "halfling/plugin.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/registry.hpp"
#include "plugin_folder.hpp"
#include "program.hpp"

using namespace sdk_test;
using nlohmann::json;

namespace {

Outcome check(const PluginFolder& folder, const char* plugin, const std::string& options = "") {
  return call("plugins check '" + folder.file(plugin).string() + "' " + options);
}

json check_json(const PluginFolder& folder, const char* plugin) {
  return json::parse(check(folder, plugin, "--format json").output);
}

}  // namespace

TEST_CASE("check tells what a good plugin is") {
  const PluginFolder folder{"good"};
  const Outcome text = check(folder, "good");
  CAPTURE(text.output);
  CHECK(text.status == 0);
  CHECK(contains(text.output, folder.file("good").string() + ": accepted\n"));
  CHECK(contains(text.output, "  kind:       loss_scaler\n  name:       good 1.2.3\n"));
  CHECK(contains(text.output, "version " + std::to_string(halfling::plugin_abi_version)));
  CHECK(contains(text.output, "fp16|bf16|auto"));
  const json result = check_json(folder, "good");
  CHECK(result["accepted"] == true);
  CHECK(result["fingerprint"] == HALFLING_FINGERPRINT);
  CHECK(result["options"].size() == 3);
  CHECK(result["faults"].empty());
}

TEST_CASE("check tells why a plugin is refused") {
  const PluginFolder folder{"wrong_abi", "no_symbol", "wrong_kind", "missing_function", "needs_library"};
  const Outcome abi = check(folder, "wrong_abi");
  CHECK(abi.status == 1);
  CHECK(contains(abi.output, ": refused\n"));
  CHECK(contains(abi.output, "got: version 99"));
  CHECK(contains(check(folder, "no_symbol").output, "no symbol halfling_plugin"));
  CHECK(contains(check(folder, "wrong_kind").output, "claims to be: teapot/bad"));
  CHECK(contains(check(folder, "missing_function").output, "got: defined_nowhere\n"));
  REQUIRE(unsetenv("LD_LIBRARY_PATH") == 0);  // has the folder of the library that is to be missing
  const Outcome library = check(folder, "needs_library");
  CHECK(contains(library.output, "a shared library that it needs is missing"));
  CHECK(contains(library.output, "got: libabsent_library.so was not found\n"));
  folder.write("text", "nothing\n");
  CHECK(contains(check(folder, "text").output, "no shared library"));
  folder.add("no_symbol", "foreign");
  std::fstream(folder.file("foreign"), std::ios::in | std::ios::out | std::ios::binary).seekp(18).put(3);
  CHECK(contains(check(folder, "foreign").output, "another processor"));
  CHECK(contains(check(folder, "nowhere").output, "cannot be found"));
  CHECK(check(folder, "nowhere").status == 1);
  CHECK(call("plugins check").status == 2);
}

TEST_CASE("check tells part by part what another build differs in") {
  const PluginFolder folder{"wrong_fingerprint", "no_rtti"};
  const json result = check_json(folder, "wrong_fingerprint");
  CHECK(result["accepted"] == false);
  CHECK(result["plugin"] == "loss_scaler/bad");
  REQUIRE(result["differences"].size() >= 2);
  CHECK(result["differences"][0]["what"] == "the compiler");
  CHECK(result["differences"][0]["plugin"] == "gcc-1");
  const Outcome rtti = check(folder, "no_rtti");
  CHECK(
      contains(rtti.output, "differs in -fno-rtti (run-time types): no-rtti in the plugin, nothing here\n"));
  CHECK_FALSE(contains(rtti.output, "differs in the compiler"));
}

TEST_CASE("parts of a fingerprint that are new are told by themselves") {
  const auto differences = halfling::fingerprint_differences("gcc-1 sdk-0", "gcc-1 short-enums sdk-0");
  REQUIRE(differences.size() == 1);
  CHECK(text_of(differences[0]) == "the flag short-enums: nothing in the plugin, short-enums here");
  CHECK(halfling::fingerprint_differences("nothing", "gcc-1 sdk-0").empty());
}

TEST_CASE("options that no experiment could give are faults, and all are told") {
  const PluginFolder folder{"odd_options"};
  const Outcome text = check(folder, "odd_options");
  CAPTURE(text.output);
  CHECK(text.status == 1);
  CHECK(contains(text.output, ": faulty\n"));
  const json result = check_json(folder, "odd_options");
  CHECK(result["accepted"] == false);
  std::vector<std::string> places;
  for (const json& fault : result["faults"]) places.push_back(fault["where"]);
  CHECK(places == std::vector<std::string>{"reporter.not a key", "reporter.required", "reporter.good",
                                           "reporter.high", "reporter.silent", "reporter.torn", "reporter."});
}

TEST_CASE("a name that another plugin has is a fault") {
  const PluginFolder folder{"good"}, other{};
  other.add("good", "twin");
  const Outcome text = check(other, "twin", "--plugin-path '" + folder.path().string() + "'");
  CHECK(text.status == 1);
  CHECK(contains(text.output, "another plugin has this kind and name"));
  CHECK(contains(text.output, folder.file("good").string()));
  CHECK(check(folder, "good", "--plugin-path '" + folder.path().string() + "'").status == 0);
}

TEST_CASE("the plugins of this tree declare nothing wrong") {
  const halfling::Registry registry = halfling::Registry::scan();
  CHECK(registry.plugins().size() > 20);
  for (const halfling::Plugin& plugin : registry.plugins()) {
    CAPTURE(plugin.file.string());
    CHECK(halfling::declaration_faults(*plugin.descriptor).empty());
  }
}
