// SPDX-License-Identifier: Apache-2.0
// The reader of experiments takes any bytes: they resolve, or they are refused with diagnostics; and what a
// trial resolved to resolves to itself. As in the corpus of broken files, lines "# --set ARG" at the top are
// arguments.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "../unit/experiment_catalog.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "target.hpp"

using namespace halfling;

namespace {

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

void check_resolves_to_itself(const Experiment& trial) {
  const auto again = resolve({fuzz::write("resolved.toml", trial.toml), {}});
  if (again && again->trials.size() == 1 && again->trials[0].id == trial.id &&
      again->trials[0].toml == trial.toml)
    return;
  std::fprintf(stderr, "does not resolve to itself:\n%s\nbut to:\n%s\n", trial.toml.c_str(),
               again ? again->trials[0].toml.c_str() : "an error");
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto loaded = resolve({fuzz::write("experiment.toml", text), arguments_of(text)});
  constexpr std::size_t most = 4;  // of a large sweep
  for (std::size_t i = 0; loaded && i < std::min(most, loaded->trials.size()); ++i)
    check_resolves_to_itself(loaded->trials[i]);
  return 0;
}
