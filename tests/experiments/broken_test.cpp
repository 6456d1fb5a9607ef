// SPDX-License-Identifier: Apache-2.0
// Every file of broken/ has one fault, and beside it the whole message that it must give. Lines "# --set ARG"
// at the top of a file are passed as arguments. The working directory is broken/. To write the messages anew,
// after a look at each: HALFLING_UPDATE_EXPECTED=1.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../unit/experiment_catalog.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"

using namespace halfling;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> arguments_of(const std::filesystem::path& file) {
  constexpr std::string_view mark = "# --set ";
  std::vector<std::string> result;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with(mark);)
    result.push_back(line.substr(mark.size()));
  return result;
}

std::string message_of(const std::filesystem::path& file) {
  const testing::DeclaredPlugins plugins;
  try {
    load_experiment({file, arguments_of(file)}, plugins);
  } catch (const DiagnosticsError& error) {
    CHECK(error.details().kind == ErrorKind::usage);
    return std::string(error.what()) + "\n";
  }
  return "no error\n";
}

}  // namespace

TEST_CASE("every broken file gives its message in full") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    if (entry.path().extension() != ".toml") continue;
    const std::filesystem::path file = entry.path().filename();
    std::filesystem::path expected = file;
    expected.replace_extension(".expected");
    CAPTURE(file.string());
    const std::string message = message_of(file);
    CHECK(message != "no error\n");
    if (std::getenv("HALFLING_UPDATE_EXPECTED")) std::ofstream(expected, std::ios::binary) << message;
    CHECK(message == contents(expected));
    ++count;
  }
  CHECK(count >= 40);
}
