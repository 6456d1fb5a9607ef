// SPDX-License-Identifier: Apache-2.0
// The cards of datasets/ have every key that datasets/README.md promises.
#include <doctest/doctest.h>
#include <toml++/toml.h>

#include <filesystem>
#include <set>

namespace {

void check_file(const toml::table& file) {
  const std::string name = file["name"].value_or("");
  CHECK(file["samples"].value_or(0) > 0);
  if (const auto* mirrors = file["url"].as_array()) {
    for (const toml::node& url : *mirrors) CHECK(url.value_or(std::string()).ends_with("/" + name));
  } else {
    CHECK(file["url"].value_or(std::string()).ends_with("/" + name));
  }
  const bool strong = file.contains("sha256");
  if (strong) CHECK(file["bytes"].value_or(0) > 0);
  const std::string hash = file[strong ? "sha256" : "md5"].value_or("");
  CHECK(hash.size() == (strong ? 64 : 32));
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
}

}  // namespace

TEST_CASE("every card is complete") {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HALFLING_CARDS)) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path());
    const toml::table card = toml::parse_file(entry.path().string());
    CHECK(card["name"].value_or(std::string()) == entry.path().stem());
    for (const char* key : {"title", "source", "licence", "credit"}) CHECK(card[key].is_string());
    CHECK(card["shape"].as_array()->size() == 3);
    if (const auto* classes = card["classes"].as_array()) CHECK(classes->size() == 10);
    REQUIRE(card["file"].is_array_of_tables());
    for (const toml::node& file : *card["file"].as_array()) check_file(*file.as_table());
    names.insert(entry.path().stem());
  }
  CHECK(names ==
        std::set<std::string>{"cifar10", "cifar100", "emnist", "fashion-mnist", "mnist", "quickdraw"});
}
