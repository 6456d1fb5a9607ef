// SPDX-License-Identifier: Apache-2.0
// A folder of experiment files, and what tests of the reader ask of one.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "experiment_catalog.hpp"

namespace halfling::testing {

/// A folder that lives as long as the test.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("halfling-experiment-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const std::string base = R"([experiment]
name = "base"

[precision]
use = "mixed"

[loss_scaler]
use = "dynamic"
initial = 1024
scope = "shared"

[dataset]
use = "synthetic"

[architecture]
use = "acgan"

[optimizer]
use = "adam"
beta1 = 0.25

[optimizer.operation.g]
learning_rate = 1e-3

[budget]
time = "1h20m"
)";

inline LoadedExperiment load(const std::filesystem::path& file, std::vector<std::string> set = {}) {
  const DeclaredPlugins plugins;
  return load_experiment({file, std::move(set)}, plugins);
}

inline std::string errors_of(const std::filesystem::path& file, std::vector<std::string> set = {}) {
  try {
    load(file, std::move(set));
  } catch (const DiagnosticsError& error) {
    return error.what();
  }
  return "none";
}

inline Experiment only(const LoadedExperiment& loaded) {
  REQUIRE(loaded.trials.size() == 1);
  return loaded.trials.front();
}

inline const Origin& origin(const Experiment& experiment, const std::string& key) {
  for (const Origin& origin : experiment.origins)
    if (origin.key == key) return origin;
  FAIL("no origin of ", key);
  throw 0;
}

}  // namespace halfling::testing
