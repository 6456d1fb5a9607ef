// SPDX-License-Identifier: Apache-2.0
// A run that begins with the weights of another one.
#include <doctest/doctest.h>

#include "program.hpp"
#include "run/safetensors.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Two folders of runs: what is begun with, and what begins.
struct Pair {
  Bench first, second;
  fs::path given;
  Pair(const Words& settings = {}) {
    Words words{"--quiet"};
    words.insert(words.end(), settings.begin(), settings.end());
    REQUIRE(first.run(words).status == 0);
    given = first.folders().front();
  }
  Outcome begin(Words more = {}) const {
    more.insert(more.end(), {"--init-from", given.string()});
    return second.run(more);
  }
  json list() const { return read_json(second.folders().front() / "initial_weights.json"); }
};

}  // namespace

TEST_CASE("a run begins with another one's weights, and with nothing else of it") {
  const Pair pair;
  // A rate of zero: after an iteration the parameters are what they were at its beginning.
  const Outcome outcome = pair.begin({"--set", "optimizer.learning_rate=0", "--set", "budget.iterations=1"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = pair.second.folders().front();
  CHECK(run.filename() != pair.given.filename());  // another trial
  const SafetensorsFile before(pair.given / "checkpoints" / "12.safetensors"),
      after(run / "checkpoints" / "1.safetensors");
  for (const std::string name : {"d.conv1.weight", "g.fc1.weight", "c.fc2.bias"})
    CHECK(after.bytes(name) == before.bytes(name));
  const json list = pair.list();
  CHECK(list["missing"].empty());
  CHECK(list["different"].empty());
  CHECK(list["taken"].size() > 20);
  CHECK(contains(outcome.err, "weights are taken from"));
  CHECK(read_json(run / "summary.json")["operations"]["d"]["loss_scale"] == 65536);
  const Outcome diff = call(pair.second.scratch(), {"diff", pair.given.string(), run.string()});
  CHECK(contains(diff.out, "experiment.init_from"));
}

TEST_CASE("what does not fit is said, and averages begin as what they are averages of") {
  const Pair pair({"--set", "architecture.classifier_width=4"});
  const Outcome outcome = pair.begin({"--set", "average.decay=0.9"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(contains(outcome.err, "of another shape: c.fc1.weight F32 [4, 16], here F32 [8, 16], c.fc1.bias"));
  const json list = pair.list();
  CHECK(list["missing"].empty());
  CHECK(list["taken"].dump().find("average.g.fc1.weight") != std::string::npos);
}

TEST_CASE("a resumed run needs the other one no longer") {
  const Pair pair;
  REQUIRE(pair.begin({"--quiet", "--set", "budget.iterations=6"}).status == 0);
  fs::remove_all(pair.given);
  const Outcome gone = pair.begin({"--quiet", "--resume"});
  CAPTURE(gone.err);
  CHECK(gone.status == 0);
  CHECK(read_json(pair.second.folders().front() / "summary.json")["iterations"] == 12);
}

TEST_CASE("a checkpoint that is not there, is none, or has nothing that fits is one clear error") {
  const Pair pair;
  const auto refused = [&](const std::string& from) {
    const Outcome outcome = pair.second.run({"--quiet", "--init-from", from});
    CHECK(outcome.status != 0);
    CHECK(pair.second.folders().empty());
    return outcome.err;
  };
  CHECK(contains(refused("/nowhere/1.safetensors"), "/nowhere/1.safetensors"));
  CHECK(contains(refused(pair.second.scratch().path().string()), "the run has no checkpoint to begin with"));
  const fs::path other = pair.second.scratch() / "other.safetensors";
  write_safetensors(other, {{"x", StoredType::f32, {2}}}, {},
                    [bytes = std::vector<std::byte>(8)](const TensorInfo&) { return std::span(bytes); });
  CHECK(contains(refused(other.string()), "other.safetensors"));
}
