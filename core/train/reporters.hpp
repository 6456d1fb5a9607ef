// SPDX-License-Identifier: Apache-2.0
// All reporters of a run, told together. What one of them throws goes no further: people read of it once, and
// training goes on. The failure of a required one is kept until the loop asks for it.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "halfling/reporter.hpp"

namespace halfling {

/// A reporter of a run; it outlives the run.
struct NamedReporter {
  Reporter* reporter = nullptr;
  std::string name;       ///< of its table, or of what it writes
  bool required = false;  ///< its failure ends the run
};

class Reporters {
 public:
  /// In the order in which they are told.
  explicit Reporters(const std::vector<NamedReporter>& reporters);

  void began(const RunDescription& run);
  void iteration(const IterationDone& done);
  bool wants_metrics();
  /// Those that are not due go to who wants them.
  void metrics(const RunMetrics& metrics, bool due);
  void grid(const SampleGrid& grid);
  void observed(const std::vector<Observation>& values);
  void checkpoint(const CheckpointWritten& checkpoint);
  void note(const std::string& line);
  void ended(const Summary& summary);

  /// Whether a required one has failed: the run is to end.
  bool failed() const { return failure_ != nullptr; }
  /// Throws what it threw, with its name.
  void raise() const;
  /// That training waited for them, since this was asked last.
  double take_seconds() { return std::exchange(seconds_, 0.0); }

 private:
  struct Entry : NamedReporter {
    bool told_of = false;  ///< people know that it fails
    bool left_out = false;
  };
  template <class Event>
  void each(const Event& event);
  template <class Call>
  void attempt(Entry& entry, const Call& call);
  void fail(Entry& entry, const std::exception& error);

  std::vector<Entry> entries_;
  std::exception_ptr failure_;
  double seconds_ = 0;
};

}  // namespace halfling
