// SPDX-License-Identifier: Apache-2.0
// The real program on the emulated GPU: what a user sees of a run there.
#include <doctest/doctest.h>

#include <cstdlib>

#include "../../experiments/program.hpp"

namespace {

using namespace halfling::test;
using nlohmann::json;

Words on_gpu(Words more) {
  Words words{"--plugin-path", HALFLING_EMULATED, "--set", "backend.use=cudnn-emulated"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<json> losses(const std::filesystem::path& folder) {
  std::vector<json> result;
  for (json line : read_lines(folder / "metrics.jsonl")) {
    line.erase("elapsed_s");
    line.erase("images_per_s");
    result.push_back(line);
  }
  return result;
}

/// A variable of this process and of those that it starts, for a while.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("a run that is ahead of its results writes them all, in order") {
  const Bench replayed, eager, reference;
  CHECK(replayed.run(on_gpu({})).status == 0);
  CHECK(eager.run(on_gpu({"--set", "backend.capture=false"})).status == 0);
  CHECK(reference.run().status == 0);
  const auto folder = replayed.folders().at(0), judge = reference.folders().at(0);

  const std::vector<json> lines = losses(folder);
  CHECK(lines == losses(eager.folders().at(0)));
  const std::vector<json> expected = losses(judge);
  REQUIRE(lines.size() == 12);
  REQUIRE(expected.size() == 12);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i]["iteration"] == i + 1);
    for (const char* name : {"d", "g", "q"})
      CHECK(lines[i]["operations"][name]["loss"].get<double>() ==
            doctest::Approx(expected[i]["operations"][name]["loss"].get<double>()).epsilon(1e-3));
  }
  for (const char* grid : {"00000000.png", "00000005.png", "00000010.png", "00000012.png"})
    CHECK(std::filesystem::exists(folder / "samples" / grid));
  const json summary = read_json(folder / "summary.json");
  CHECK(summary["iterations"] == 12);
  // The GPU's memory, and not this process's: cuBLAS's workspace of 32 MiB and what the plan says.
  const auto peak = summary["peak_bytes"].get<std::uint64_t>();
  CHECK(peak > 32 << 20);
  CHECK(peak < 34 << 20);
}

TEST_CASE("the environment proves which engines were used") {
  const Bench bench;
  CHECK(bench.run(on_gpu({"--set", "precision.use=mixed", "--set", "precision.half=fp16"})).status == 0);
  const json environment = read_json(bench.folders().at(0) / "environment.json");
  CHECK(contains(environment["device"]["name"].get<std::string>(), "emulated"));
  bool tensor_core = false;
  for (const json& step : environment["steps"]) {
    const auto text = step.get<std::string>();
    if (!contains(text, "conv1/conv2d forward")) continue;
    CHECK(contains(text, "engine"));
    tensor_core = tensor_core || contains(text, "TENSOR_CORE");
  }
  CHECK(tensor_core);
}

TEST_CASE("a GPU is chosen by itself where there is one") {
  const Bench bench;
  const Outcome outcome = bench.run({"--plugin-path", HALFLING_EMULATED, "--set", "backend.use=auto"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.err, "backend cudnn-emulated (auto"));
  CHECK(!contains(outcome.err, "not on cudnn-emulated"));
}

TEST_CASE("a missing library is named") {
  const Bench bench;
  const std::filesystem::path alone = bench.scratch() / "plugins";
  std::filesystem::create_directory(alone);
  std::filesystem::copy(HALFLING_EMULATED "/halfling-backend-cudnn.so", alone);
  const Outcome devices = call(bench.scratch(), {"devices", "--plugin-path", alone.string()});
  CHECK(contains(devices.out, "cudnn-emulated: no device; "));
  CHECK(contains(devices.out, "libhalfling-cudnn.so.0: cannot open shared object file"));
  const Outcome run = bench.run({"--plugin-path", alone.string(), "--set", "backend.use=cudnn-emulated"});
  CHECK(run.status == 2);
  CAPTURE(run.err);
  CHECK(contains(run.err, "is not built; ./dev build makes it"));
#ifdef HALFLING_HAVE_CPU
  const Outcome automatic = bench.run({"--plugin-path", alone.string(), "--set", "backend.use=auto"});
  CHECK(automatic.status == 0);
  CHECK(contains(automatic.err, "backend cpu (auto"));
  CHECK(contains(automatic.err, "; not on cudnn-emulated: "));
#endif
}

TEST_CASE("bf16 and TF32 are refused before the run where the GPU lacks them") {
  const Environment capability("HALFLING_EMULATED_CAPABILITY", "7.5");
  const Bench bench;
  for (const Words& words : {Words{"--set", "precision.use=mixed", "--set", "precision.half=bf16"},
                             Words{"--set", "precision.use=tf32"}}) {
    const Outcome outcome = bench.run(on_gpu(words));
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "the device does not have a number format"));
  }
  CHECK(bench.folders().empty());
}

TEST_CASE("memory that runs out names the trial, the bytes and the largest batch that would fit") {
  const Environment memory("HALFLING_EMULATED_MEMORY", "33700000");  // cuBLAS gets 32 MiB of it
  const Bench bench;
  const Outcome outcome =
      bench.run(on_gpu({"--set", "input.batch_size=16", "--set", "sweep.matrix={\"experiment.seed\"=[1]}"}));
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "memory ran out"));
  CHECK(contains(outcome.err, "bytes more were asked for"));
  CAPTURE(outcome.err);
  CHECK(contains(outcome.err, "the largest that is predicted to fit is"));
  CHECK(contains(outcome.err, "experiment.seed=1"));
}

TEST_CASE("where a GPU answers and its library is not built, the plugin says so and how to build it") {
  const Scratch scratch;
  const auto plugin = "halfling-backend-cudnn.so";
  std::filesystem::create_directory(scratch / "plugins");
  std::filesystem::copy(std::filesystem::path(HALFLING_EMULATED) / plugin, scratch / "plugins" / plugin);
  const Outcome devices = call(scratch, {"devices", "--plugin-path", (scratch / "plugins").string()});
  CHECK(contains(devices.out, "cudnn-emulated: no device; "));
  CHECK(contains(devices.out, "libhalfling-cudnn.so.0"));
  CHECK(contains(devices.out, "is not built; ./dev build makes it"));
}
