// SPDX-License-Identifier: Apache-2.0
// Lists of components, [[transform]] and [[reporter]]: what they are part of.
#include <set>

#include "experiment/keys.hpp"
#include "experiment_list.hpp"

using namespace halfling;
using namespace halfling::testing;

TEST_CASE("every value of an element has its origin") {
  const Files files;
  const Experiment e = only(files.load(
      "[[transform]]\nname = \"again\"\nuse = \"flip\"\n[[transform]]\nname = \"crop\"\nsize = 8\n"));
  CHECK(origin(e, "transform.flip.probability").from.ends_with("base.toml:29:15"));
  CHECK(origin(e, "transform.crop.size").from.ends_with("a.toml:7:8"));
  REQUIRE(origin(e, "transform.crop.size").overrode.size() == 1);
  CHECK(origin(e, "transform.crop.size").overrode[0].ends_with("base.toml:32:8"));
  CHECK(origin(e, "transform.again.probability").from == "default of flip 1.2.0");
  CHECK(origin(e, "transform.again.name").value == "\"again\"");
}

TEST_CASE(
    "the resolved document loads to the same trial, and the order, the names and the values are part of it") {
  const Files files;
  const std::string text = "[[transform]]\nname = \"again\"\nuse = \"flip\"\n";
  const Experiment e = only(files.load(text));
  const Experiment again = only(load(files.folder.write("resolved.toml", e.toml)));
  CHECK(again.toml == e.toml);
  CHECK(again.id == e.id);
  CHECK(text_of(again) == text_of(e));
  std::set<std::string> ids{e.id};
  ids.insert(only(files.load("")).id);
  ids.insert(only(files.load(text, {"transform.again.probability=1"})).id);
  ids.insert(only(files.load("[[transform]]\nname = \"other\"\nuse = \"flip\"\n")).id);
  const Folder folder;
  ids.insert(only(load(folder.write("a.toml", base + crop + flip))).id);
  CHECK(ids.size() == 5);
  CHECK(only(load(folder.write(
                 "b.toml", "transform = [{use = \"flip\", probability = 0.25, name = \"flip\"}]\n" + base)))
            .id == only(load(folder.write("c.toml", base + flip))).id);
}

TEST_CASE("a trial without lists has the id that it had before there were any") {
  const Folder folder;
  const Experiment e = only(load(folder.write("a.toml", base)));
  CHECK(e.toml.find("transform") == std::string::npos);
  CHECK(e.toml.find("reporter") == std::string::npos);
  CHECK(e.id == "a222f246b01f");
}

TEST_CASE(
    "reporters are a list, too: whether one is required is its table's own key, and no part of the trial") {
  const Folder folder;
  const std::string text =
      base +
      "[[reporter]]\nuse = \"table\"\nfile = \"/a.txt\"\n"
      "[[reporter]]\nname = \"second\"\nuse = \"table\"\nfile = \"/b.txt\"\nrequired = true\n";
  const Experiment e = only(load(folder.write("a.toml", text)));
  REQUIRE(e.reporters.size() == 2);
  CHECK(e.reporters[0].name == "table");
  CHECK(!e.reporters[0].required);
  CHECK(e.reporters[1].name == "second");
  CHECK(e.reporters[1].use == "table");
  CHECK(e.reporters[1].required);
  CHECK(e.reporters[1].options.string("file") == "/b.txt");
  CHECK(!e.reporters[1].options.values().contains("required"));
  CHECK(e.id == only(load(folder.write("b.toml", base))).id);
  const Experiment again = only(load(folder.write("c.toml", e.toml)));
  CHECK(again.toml == e.toml);
  CHECK(again.reporters[1].required);
}

TEST_CASE("the known keys have an element for each plugin") {
  std::set<std::string> keys;
  for (const KnownKey& key : known_keys(DeclaredPlugins())) keys.insert(key.name);
  for (const char* key : {"transform.flip.use", "transform.flip.probability", "transform.crop.size",
                          "reporter.table.required", "reporter.table.file"})
    CHECK_MESSAGE(keys.contains(key), key);
  CHECK(!keys.contains("transform.use"));
  CHECK(!keys.contains("reporter.required"));
}
