// SPDX-License-Identifier: Apache-2.0
#include "plugin/guarded.hpp"

namespace halfling {
namespace {

class GuardedReporter final : public Guarded<Reporter> {
 public:
  using Guarded::Guarded;

  void began(const RunDescription& run) override {
    call("Reporter::began", [&](Reporter& inner) { inner.began(run); });
  }
  void iteration(const IterationDone& done) override {
    call("Reporter::iteration", [&](Reporter& inner) { inner.iteration(done); });
  }
  bool wants_metrics() const override {
    return call("Reporter::wants_metrics", [](const Reporter& inner) { return inner.wants_metrics(); });
  }
  void metrics(const RunMetrics& metrics) override {
    call("Reporter::metrics", [&](Reporter& inner) { inner.metrics(metrics); });
  }
  void grid(const SampleGrid& grid) override {
    call("Reporter::grid", [&](Reporter& inner) { inner.grid(grid); });
  }
  void observed(const std::vector<Observation>& values) override {
    call("Reporter::observed", [&](Reporter& inner) { inner.observed(values); });
  }
  void checkpoint(const CheckpointWritten& checkpoint) override {
    call("Reporter::checkpoint", [&](Reporter& inner) { inner.checkpoint(checkpoint); });
  }
  void note(const std::string& line) override {
    call("Reporter::note", [&](Reporter& inner) { inner.note(line); });
  }
  void ended(const Summary& summary) override {
    call("Reporter::ended", [&](Reporter& inner) { inner.ended(summary); });
  }
};

}  // namespace

std::unique_ptr<Reporter> guard(const Boundary& boundary, std::unique_ptr<Reporter> inner) {
  return std::make_unique<GuardedReporter>(boundary, std::move(inner));
}

}  // namespace halfling
