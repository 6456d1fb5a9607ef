// SPDX-License-Identifier: Apache-2.0
// What training would refuse, found before the first trial trains.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/dataset.hpp"
#include "train/engine.hpp"

namespace halfling {

/// What a data set says of itself; it is closed again.
struct DataFacts {
  std::int64_t samples = 0;
  Shape image;  ///< {C, H, W}
  std::vector<std::string> classes;
};
DataFacts facts_of(const Experiment& experiment, const Registry& registry);

/// Names of an architecture that an experiment may give.
struct KnownNames {
  std::vector<std::string> operations;
  std::vector<std::string> observable;
};

/// Checks trials one after the other; what several trials have in common is looked at once.
class Preflight {
 public:
  explicit Preflight(const Registry& registry) : registry_(registry) {}
  Preflight(const Preflight&) = delete;

  /// Throws Error (usage) where the data set cannot be opened, is smaller than a batch, no backend has a
  /// device, the device lacks a format of the policy, the policy does not fit the graphs,
  /// [optimizer.operation] names an operation that the architecture does not have, or [monitor] has nothing
  /// to look at.
  void check(const Experiment& experiment);
  /// check, and throws Error (usage) where the trial is predicted to need more memory than its device has.
  void check_memory(const Experiment& experiment);
  /// What the last trial that was checked has.
  const DataFacts& data() const { return *data_; }
  const Engine& engine() const { return *engine_; }

 private:
  const Registry& registry_;
  std::map<std::string, DataFacts> known_data_;
  std::map<std::string, Engine> known_engines_;
  std::map<std::string, KnownNames> known_names_;
  std::set<std::string> fitting_;
  std::string graphs_key_;  ///< what the graphs of the last trial that was checked depend on
  const DataFacts* data_ = nullptr;
  const Engine* engine_ = nullptr;
};

}  // namespace halfling
