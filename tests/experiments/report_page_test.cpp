// SPDX-License-Identifier: Apache-2.0
// The numerics monitor and halfling report, end to end.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

#include "program.hpp"

using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// Hides every other program from the one under test while it lives.
class NoPrograms {
 public:
  NoPrograms() : before_(std::getenv("PATH")) { ::setenv("PATH", "/nowhere", 1); }
  ~NoPrograms() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

bool has_gnuplot() {
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::exists(fs::path(folder) / "gnuplot")) return true;
  return false;
}

Words losses(const fs::path& run) {
  Words result;
  for (const auto& line : read_lines(run / "metrics.jsonl")) result.push_back(line["operations"].dump());
  return result;
}

/// Columns of the page's widest table.
int columns(const std::string& page) {
  int most = 0;
  for (std::size_t row = page.find("<tr>"); row != std::string::npos; row = page.find("<tr>", row + 1)) {
    const std::string cells = page.substr(row, page.find("</tr>", row) - row);
    int count = 0;
    for (std::size_t at = cells.find("<th>"); at != std::string::npos; at = cells.find("<th>", at + 1))
      ++count;
    most = std::max(most, count);
  }
  return most;
}

}  // namespace

TEST_CASE("the monitor changes nothing that is trained, and writes what it sees") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench bench;
    const Words words{"--set", "backend.use=" + backend, "--set", "precision.use=mixed",
                      "--set", "precision.half=fp16"};
    REQUIRE(bench.run(words).status == 0);
    const fs::path plain = bench.folders().front();
    CHECK(!fs::exists(plain / "monitor.jsonl"));
    Words watched = words;
    watched.insert(watched.end(),
                   {"--set", "monitor.every=5it", "--set", "monitor.values=[\"gradients\", \"d.*\"]"});
    const Outcome outcome = bench.run(watched);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    REQUIRE(bench.folders().size() == 2);
    const fs::path run = bench.folders()[bench.folders()[0] == plain ? 1 : 0];
    CHECK(losses(run) == losses(plain));
    CHECK(read_file(run / "samples/12.png") == read_file(plain / "samples/12.png"));

    std::map<int, int> lines;
    bool layer = false, weight = false, activation = false;
    for (const auto& line : read_lines(run / "monitor.jsonl")) {
      ++lines[line["iteration"]];
      std::int64_t counted = 0;
      for (const auto& count : line["counts"]) counted += count.get<std::int64_t>();
      const auto elements = line["elements"].get<double>();
      const double rest = (line["zero"].get<double>() + line["nonfinite"].get<double>()) * elements;
      CHECK(static_cast<double>(counted) + rest == doctest::Approx(elements));
      CHECK(line["stored_zero"].get<double>() >= line["zero"].get<double>() - 1e-9);
      layer = layer || (line["kind"] == "activation gradient" && line["operation"] == "g" &&
                        line["value"] == "g.deconv3" && line["format"] == "f16" && line["scale"] == 65536);
      weight = weight || (line["kind"] == "gradient" && line["value"] == "d.conv1.weight");
      activation = activation || (line["kind"] == "activation" && line["value"] == "d.conv1");
    }
    CHECK(layer);
    CHECK(weight);
    CHECK(activation);
    REQUIRE(lines.size() == 3);  // iterations 1, 5, 10
    CHECK(lines[1] == lines[10]);
  }
}

TEST_CASE("a monitor of nothing is refused before anything trains") {
  const Bench bench;
  const Outcome outcome = bench.run({"--set", "monitor.every=3it", "--set", "monitor.values=[\"d.conv9\"]"});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "monitor.values"));
  CHECK(contains(outcome.err, "d.conv1"));
}

TEST_CASE("report writes one page for all runs, and says how to draw what gnuplot did not") {
  const Bench bench;
  write_file(bench.file(), small_experiment() +
                               "[monitor]\nevery = \"5it\"\n[sweep.matrix]\n"
                               "\"precision.use\" = [\"fp32\", \"mixed\"]\n");
  REQUIRE(bench.run().status == 0);
  const std::string folder = bench.out() + "/small";

  SUBCASE("with gnuplot") {
    if (!has_gnuplot()) return;
    const Outcome outcome = call(bench.scratch(), {"report", folder});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out == folder + "/report.html\n");
    CHECK(outcome.err.empty());
    const std::string page = read_file(folder + "/report.html");
    CHECK(contains(page, "precision.use=fp32"));
    CHECK(contains(page, "precision.use=mixed [f16 emulated: numerics, not speed]"));
    CHECK(contains(page, "data:image/svg+xml;base64,"));
    CHECK(contains(page, "data:image/png;base64,iVBORw0KGgo"));
    CHECK(!contains(page, "http"));  // nothing is fetched
    CHECK(contains(page, "<th>loss d</th>"));
    CHECK(columns(page) == 10);  // what a window of 1280 pixels shows beside names of runs
    const std::string svg = read_file(folder + "/report.figures/2-activation-gradient-g.svg");
    CHECK(contains(svg, "g.deconv3"));
    CHECK(
        contains(svg.substr(0, svg.find("viewBox")), "width=\"720\""));  // else a page shrinks it to nothing
    CHECK(contains(page, ".figures{display:grid"));
    CHECK(contains(page, "<h3>activation gradient of operation g</h3>\n<div class=\"figures\">"));
    CHECK(contains(svg, "</svg>"));
  }
  SUBCASE("a run of a single line of metrics is a point") {
    const fs::path metrics = bench.folders()[0] / "metrics.jsonl";
    const std::string lines = read_file(metrics);
    write_file(metrics, lines.substr(0, lines.find('\n') + 1));
    for (const fs::path& run : bench.folders()) {
      const std::string out = (bench.scratch() / "page.html").string();
      REQUIRE(call(bench.scratch(), {"report", run.string(), "--out", out}).status == 0);
      const bool points = contains(read_file(bench.scratch() / "page.figures/losses.gp"), "with linespoints");
      CHECK(points == (run == bench.folders()[0]));
    }
  }
  SUBCASE("without gnuplot") {
    const NoPrograms hidden;
    const std::string out = (bench.scratch() / "page.html").string();
    const Outcome outcome = call(
        bench.scratch(), {"report", bench.folders()[0].string(), bench.folders()[1].string(), "--out", out});
    REQUIRE(outcome.status == 0);
    CHECK(contains(outcome.err, "gnuplot losses.gp"));
    CHECK(contains(read_file(out), "gnuplot 1-gradient-d.gp"));
    CHECK(fs::exists(bench.scratch() / "page.figures/losses.tsv"));
  }
  SUBCASE("what is no run is refused") {
    const Outcome outcome = call(bench.scratch(), {"report", bench.out() + "/absent"});
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "this is no run folder"));
    CHECK(call(bench.scratch(), {"report"}).status == 2);
  }
}
