// SPDX-License-Identifier: Apache-2.0
// The reader of experiments takes any bytes: they resolve, or they are refused with diagnostics; and what a
// trial resolved to resolves to itself. As in the corpus of broken files, lines "# --set ARG" at the top are
// arguments.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "../unit/experiment_catalog.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"

using namespace halfling;

namespace {

class Scratch {
 public:
  Scratch() { std::filesystem::create_directories(folder_); }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("halfling-fuzz-" + std::to_string(::getpid()));
};

std::vector<std::string> arguments_of(const std::string& text) {
  constexpr std::string_view mark = "# --set ";
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && line.starts_with(mark);)
    result.push_back(line.substr(mark.size()));
  return result;
}

/// nullopt where it is refused as it should be; what else is thrown ends the fuzzer.
std::optional<LoadedExperiment> resolve(const LoadRequest& request) {
  static const testing::DeclaredPlugins plugins;
  try {
    return load_experiment(request, plugins);
  } catch (const DiagnosticsError& error) {
    if (error.diagnostics().empty()) std::abort();
    return std::nullopt;
  }
}

void check_resolves_to_itself(const Experiment& trial, const Scratch& scratch) {
  const auto again = resolve({scratch.write("resolved.toml", trial.toml), {}});
  if (again && again->trials.size() == 1 && again->trials[0].id == trial.id &&
      again->trials[0].toml == trial.toml)
    return;
  std::fprintf(stderr, "does not resolve to itself:\n%s\nbut to:\n%s\n", trial.toml.c_str(),
               again ? again->trials[0].toml.c_str() : "an error");
  std::abort();
}

}  // namespace

/// libFuzzer adds what it finds to the first folder on the command line, which must be there.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    if ((*arguments)[i][0] == '-') continue;
    if (!std::filesystem::exists((*arguments)[i])) std::filesystem::create_directories((*arguments)[i]);
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto loaded = resolve({scratch.write("experiment.toml", text), arguments_of(text)});
  constexpr std::size_t most = 4;  // of a large sweep
  for (std::size_t i = 0; loaded && i < std::min(most, loaded->trials.size()); ++i)
    check_resolves_to_itself(loaded->trials[i], scratch);
  return 0;
}
