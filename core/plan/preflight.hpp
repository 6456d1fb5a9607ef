// SPDX-License-Identifier: Apache-2.0
// What training would refuse, found before the first trial trains, and told all at once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "halfling/architecture.hpp"
#include "plan/data_facts.hpp"
#include "plan/platform.hpp"

namespace halfling {

/// Names of an architecture that an experiment may give.
struct KnownNames {
  std::vector<std::string> operations;
  std::vector<std::string> observable;
  std::int64_t batches = 1;  ///< that an iteration reads
};

/// Checks trials one after the other; what several trials have in common is looked at once.
class Preflight {
 public:
  /// `trials`: how many the experiment has.
  explicit Preflight(const Registry& registry, std::size_t trials = 1)
      : registry_(registry), trials_(trials) {}
  Preflight(const Preflight&) = delete;

  /// Collects what is wrong with a trial, number from 1: a plugin that refuses its options, a data set that
  /// cannot be opened or is smaller than a batch, no device, a number format that the device lacks, a policy
  /// that does not fit the graphs, [optimizer.operation] or [monitor] with a name that the architecture does
  /// not have. True where nothing is. What is a failure, not a fault of the experiment, it throws.
  bool check(const Experiment& experiment, std::size_t number = 1);
  /// check, and whether the trial's graphs can be made, and are predicted to fit the memory of its device.
  bool check_memory(const Experiment& experiment, std::size_t number = 1);
  /// Throws DiagnosticsError with all that is wrong with the trials that were checked.
  void raise() const { diagnostics_.raise(); }
  /// What the last trial that was checked, and passed, has.
  const DataFacts& data() const { return *data_; }
  const Platform& platform() const { return *platform_; }
  std::int64_t samples_per_iteration() const;

 private:
  bool passes(const std::string& what, std::string_view table, const std::string& content,
              const std::function<void()>& check);
  void report(const ErrorDetails& fault, std::string_view table);
  bool check_components();
  bool check_data();
  bool check_platform();
  bool check_graphs();

  const Registry& registry_;
  std::size_t trials_;
  const Experiment* trial_ = nullptr;  ///< that is being checked
  config::Diagnostics diagnostics_;
  std::map<std::string, std::optional<ErrorDetails>> verdicts_;  ///< by what was checked and its content
  std::map<std::string, DataFacts> known_data_;
  std::map<std::string, Platform> known_platforms_;
  std::map<std::string, KnownNames> known_names_;
  std::string graphs_key_;  ///< what the graphs of the last trial that was checked depend on
  const DataFacts* data_ = nullptr;
  const Platform* platform_ = nullptr;
};

}  // namespace halfling
