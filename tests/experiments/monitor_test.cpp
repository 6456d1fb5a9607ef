// SPDX-License-Identifier: Apache-2.0
// monitor.jsonl of a run that was cut and continued.
#include <doctest/doctest.h>

#include <set>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

std::set<int> iterations(const fs::path& monitor) {
  std::set<int> found;
  for (const nlohmann::json& line : read_lines(monitor)) found.insert(line["iteration"].get<int>());
  return found;
}

/// The scales of one value's lines, in their order.
std::vector<double> scales_of(const fs::path& monitor, const std::string& value) {
  std::vector<double> scales;
  for (const nlohmann::json& line : read_lines(monitor))
    if (line["value"] == value && line["kind"] == "gradient") scales.push_back(line["loss_scale"]);
  return scales;
}

}  // namespace

TEST_CASE("monitor.jsonl after --resume equals that of an unbroken run, byte for byte") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench bench;
    Words settings{"--quiet"};
    for (const std::string setting :
         {"precision.use=mixed", "precision.half=fp16", "loss_scaler.interval=2", "monitor.every=\"4it\"",
          "monitor.values=[\"gradients\", \"activations\"]", "checkpoint.every=\"6it\"", "checkpoint.keep=5"})
      settings.insert(settings.end(), {"--set", setting});
    settings.insert(settings.end(), {"--set", "backend.use=" + backend});
    REQUIRE(bench.run(settings).status == 0);
    const fs::path run = bench.folders().front(), monitor = run / "monitor.jsonl";
    const std::string straight = read_file(monitor);
    CHECK(iterations(monitor) == std::set{1, 4, 8, 12});
    const std::vector<double> scales = scales_of(monitor, "g.fc1.weight");
    CHECK(std::set(scales.begin(), scales.end()).size() > 2);  // the scaler's state matters

    // As if the machine had stopped in the middle of what iteration 8 saw: after the checkpoint of 6.
    fs::remove(run / "summary.json");
    fs::remove(run / "checkpoints/12.safetensors");
    const std::size_t eighth = straight.find("{\"iteration\":8"),
                      twelfth = straight.find("{\"iteration\":12");
    REQUIRE(eighth < twelfth);
    write_file(monitor, straight.substr(0, (eighth + twelfth) / 2));
    Words again = settings;
    again.push_back("--resume");
    REQUIRE(bench.run(again).status == 0);
    CHECK(read_file(monitor) == straight);
  }
}
