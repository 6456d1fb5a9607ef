// SPDX-License-Identifier: Apache-2.0
// The boundary of reporters: each event arrives, and what is thrown names the call.
#include <doctest/doctest.h>

#include <stdexcept>

#include "plugin/guarded.hpp"
#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;

namespace {

/// Throws wherever it is told something, and remembers what it was told.
class Talker : public Reporter {
 public:
  explicit Talker(std::vector<std::string>& heard) : heard_(heard) {}
  void began(const RunDescription& run) override { hear(run.trial); }
  void iteration(const IterationDone& done) override { hear(std::to_string(done.iteration)); }
  bool wants_metrics() const override {
    hear("wants");
    return true;
  }
  void metrics(const RunMetrics& metrics) override { hear(std::to_string(metrics.epoch)); }
  void grid(const SampleGrid& grid) override { hear(std::to_string(grid.rows)); }
  void observed(const std::vector<Observation>& values) override { hear(values.at(0).name()); }
  void checkpoint(const CheckpointWritten& checkpoint) override { hear(checkpoint.file.string()); }
  void note(const std::string& line) override { hear(line); }
  void ended(const Summary& summary) override { hear(summary.status); }

 private:
  void hear(const std::string& what) const {
    heard_.push_back(what);
    throw std::runtime_error("no");
  }
  std::vector<std::string>& heard_;
};

std::string place(const std::string& call) {
  return call + " of plugin reporter/wild (/some/wild.so)";
}

}  // namespace

TEST_CASE("every event reaches a reporter through the boundary") {
  PluginDescriptor descriptor{};
  descriptor.kind = Reporter::kind;
  descriptor.name = "wild";
  std::vector<std::string> heard;
  const std::unique_ptr<Reporter> reporter = guard(
      Boundary({&descriptor, "/some/wild.so"}), std::unique_ptr<Reporter>(std::make_unique<Talker>(heard)));
  const auto where = [](const std::function<void()>& action) { return error_of(action).where; };
  RunDescription run;
  run.trial = "abc";
  CHECK(where([&] { reporter->began(run); }) == place("Reporter::began"));
  CHECK(where([&] { reporter->iteration({.iteration = 7}); }) == place("Reporter::iteration"));
  CHECK(where([&] { reporter->wants_metrics(); }) == place("Reporter::wants_metrics"));
  CHECK(where([&] { reporter->metrics({.epoch = 8}); }) == place("Reporter::metrics"));
  CHECK(where([&] { reporter->grid({.rows = 9}); }) == place("Reporter::grid"));
  CHECK(where([&] { reporter->observed({{.operation = "g", .value = "g.fc"}}); }) ==
        place("Reporter::observed"));
  CHECK(where([&] { reporter->checkpoint({.file = "a.safetensors"}); }) == place("Reporter::checkpoint"));
  CHECK(where([&] { reporter->note("slow"); }) == place("Reporter::note"));
  Summary summary;
  summary.status = "done";
  CHECK(where([&] { reporter->ended(summary); }) == place("Reporter::ended"));
  CHECK(heard ==
        std::vector<std::string>{"abc", "7", "wants", "8", "9", "g: g.fc", "a.safetensors", "slow", "done"});
}
