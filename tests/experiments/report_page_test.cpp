// SPDX-License-Identifier: Apache-2.0
// The numerics monitor and halfling report, end to end.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

#include "program.hpp"
#include "run/folder_lock.hpp"

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

/// With a name that tries everything.
const std::string hostile = "x\n\x1b]0;owned\x07<b>'\"`pwd`";

/// Nothing is fetched, and nothing runs. What is inside of an image, a browser neither runs nor fetches.
void check_self_contained(std::string page) {
  std::size_t images = 0;
  for (std::size_t at = page.find("src=\""); at != std::string::npos; at = page.find("src=\"", at + 5)) {
    CHECK(page.compare(at, 16, "src=\"data:image/") == 0);
    page.erase(at + 5, page.find('"', at + 5) - at - 5);
    ++images;
  }
  CHECK((images > 0 || !has_gnuplot()));
  for (const char* part : {"<script", "<link", "<iframe", "<object", "@import", "http", "href=", "url(",
                           "onerror=\"", "javascript:"}) {
    CAPTURE(part);
    CHECK_FALSE(contains(page, part));
  }
}

/// Of one of a run's figures, and of the device what the test needs: as if it had computed natively.
void set_figures(const fs::path& run, double ms, std::uint64_t peak_bytes) {
  auto summary = read_json(run / "summary.json");
  summary["native"] = true;
  summary["emulated"] = nlohmann::json::array();
  summary["ms_per_iteration"] = {{"median", ms}, {"p10", 0.95 * ms}, {"p90", 1.05 * ms}};
  summary["timed_iterations"] = 100;
  summary["peak_bytes"] = peak_bytes;
  summary["disturbance"]["processor_wait_share"] = 0;
  write_file(run / "summary.json", summary.dump());
}

/// Columns of the page's widest table.
int columns(const std::string& page) {
  int most = 0;
  for (std::size_t row = page.find("<tr>"); row != std::string::npos; row = page.find("<tr>", row + 1)) {
    const std::string cells = page.substr(row, page.find("</tr>", row) - row);
    int count = 0;
    for (std::size_t at = cells.find("<th "); at != std::string::npos; at = cells.find("<th ", at + 1))
      ++count;
    most = std::max(most, count);
  }
  return most;
}

}  // namespace

TEST_CASE("the monitor changes nothing that is trained, and writes what it sees") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench bench, other;  // a monitor is no part of what a trial is
    const Words words{"--set", "backend.use=" + backend, "--set", "precision.use=mixed",
                      "--set", "precision.half=fp16"};
    REQUIRE(bench.run(words).status == 0);
    const fs::path plain = bench.folders().front();
    CHECK(!fs::exists(plain / "monitor.jsonl"));
    Words watched = words;
    watched.insert(watched.end(),
                   {"--set", "monitor.every=5it", "--set", "monitor.values=[\"gradients\", \"d.*\"]"});
    const Outcome outcome = other.run(watched);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const fs::path run = other.folders().front();
    CHECK(losses(run) == losses(plain));
    CHECK(read_file(run / "samples/00000012.png") == read_file(plain / "samples/00000012.png"));

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
      layer =
          layer || (line["kind"] == "activation gradient" && line["operation"] == "g" &&
                    line["value"] == "g.deconv3" && line["format"] == "f16" && line["loss_scale"] == 65536);
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
    CHECK(contains(page, "<th scope=\"row\">fp32</th>"));
    CHECK(contains(page, "<th scope=\"row\">mixed (fp16) [emulated]</th>"));
    CHECK(contains(page, "Emulated, which shows numerics and never speed: mixed (fp16) [emulated]."));
    CHECK(!contains(page, "times as fast"));
    CHECK(contains(page, "data:image/svg+xml,"));
    CHECK(contains(page, "data:image/png;base64,iVBORw0KGgo"));
    check_self_contained(page);
    CHECK(contains(page, "<th scope=\"col\">loss d</th>"));
    CHECK(columns(page) == 10);  // what a window of 1280 pixels shows beside names of runs
    const std::string svg = read_file(folder + "/report.figures/2-activation-gradient-g.svg");
    CHECK(contains(svg, "g.deconv3"));
    CHECK(
        contains(svg.substr(0, svg.find("viewBox")), "width=\"720\""));  // else a page shrinks it to nothing
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
      const bool points =
          contains(read_file(bench.scratch() / "page.figures/losses-by-iteration.gp"), "with linespoints");
      CHECK(points == (run == bench.folders()[0]));
    }
  }
  SUBCASE("without gnuplot") {
    const NoPrograms hidden;
    const std::string out = (bench.scratch() / "page.html").string();
    const Outcome outcome = call(
        bench.scratch(), {"report", bench.folders()[0].string(), bench.folders()[1].string(), "--out", out});
    REQUIRE(outcome.status == 0);
    CHECK(contains(outcome.err, "gnuplot losses-by-iteration.gp"));
    CHECK(contains(read_file(out), "gnuplot 1-gradient-d.gp"));
    CHECK(fs::exists(bench.scratch() / "page.figures/losses-by-time.tsv"));
  }
  SUBCASE("of all experiments of a folder") {
    const std::string out = (bench.scratch() / "page.html").string();
    REQUIRE(call(bench.scratch(), {"report", bench.out(), "--out", out}).status == 0);
    CHECK(contains(read_file(out), "mixed (fp16)"));
  }
  SUBCASE("runs with other training operations") {
    const fs::path run = bench.folders()[1];
    auto summary = read_json(run / "summary.json");
    const auto other = [](nlohmann::json& operations) {
      nlohmann::json critic = operations["d"];
      critic["loss"] = 77.5;
      operations = {{"critic", critic}};
    };
    other(summary["operations"]);
    write_file(run / "summary.json", summary.dump());
    std::string lines;
    for (auto line : read_lines(run / "metrics.jsonl")) {
      other(line["operations"]);
      lines += line.dump() + "\n";
    }
    write_file(run / "metrics.jsonl", lines);
    const std::string out = (bench.scratch() / "page.html").string();
    const Outcome outcome =
        call(bench.scratch(), {"report", bench.folders()[0].string(), run.string(), "--out", out});
    REQUIRE(outcome.status == 0);
    CHECK((outcome.err.empty() || !has_gnuplot()));
    const std::string page = read_file(out);
    const std::string col = "</th><th scope=\"col\">";
    CHECK(contains(page, "loss q" + col + "loss scale q" + col + "skipped q" + col + "loss critic</th>"));
    const std::string none = "<td>-</td><td>-</td><td>-</td>";
    CHECK(contains(page, none + none + none + "<td>77.50</td>"));
    CHECK(contains(page, none + "</tr>"));
    const std::string table = read_file(bench.scratch() / "page.figures/losses-by-iteration.tsv");
    CHECK(contains(table, "\n12\t?\t?\t?\t77.5\n"));
    const std::string script = read_file(bench.scratch() / "page.figures/losses-by-iteration.gp");
    CHECK(contains(script, "set ylabel 'loss critic'"));
    CHECK(contains(script,
                   "plot 'losses-by-iteration.tsv' index 0 using 1:2 with lines lt 1 dt 1 lw 1.5 title"));
    CHECK(contains(script, "keyentry with lines lt 2"));
  }
  SUBCASE("files and labels of somebody else") {
    const fs::path run = bench.folders()[0];
    fs::copy(run / "samples/00000012.png", run / "samples/13<img src=x onerror=alert(1)>.png");
    fs::copy(run / "samples/00000012.png", run / "samples/-5.png");
    fs::rename(run / "samples/00000012.png", run / "samples/12.png");  // as older versions called it
    auto summary = read_json(run / "summary.json");
    summary["experiment"] = summary["error"] = hostile;
    summary["status"] = "failed";
    write_file(run / "summary.json", summary.dump());
    auto provenance = read_json(run / "provenance.json");
    provenance["precision.half"] = {{"value", hostile}, {"from", "nowhere"}};
    provenance["dataset.classes"] = {{"value", "[\"</span><script>\", \"b\\u0007\"]"}, {"from", "nowhere"}};
    write_file(run / "provenance.json", provenance.dump());
    fs::create_symlink(bench.file(), run / "samples/99.png");  // out of the folder, and no picture
    write_file(run / "samples/98.png", "no picture");
    const std::string out = (bench.scratch() / "page.html").string();
    const Outcome outcome = call(bench.scratch(), {"report", run.string(), "--out", out});
    REQUIRE(outcome.status == 0);
    const std::string page = read_file(out);
    check_self_contained(page);
    CHECK_FALSE(contains(page, "<img src"));
    CHECK_FALSE(contains(page, "<b>"));
    CHECK_FALSE(contains(page, "small.toml"));
    CHECK(contains(page, "x\\n\\u001B]0;owned\\u0007&lt;b&gt;&#39;"));
    CHECK(contains(page, "then failed: x\\n"));
    const fs::path figures = bench.scratch() / "page.figures";
    for (const std::string& text : {page, read_file(figures / "losses-by-iteration.tsv"),
                                    read_file(figures / "losses-by-iteration.gp")}) {
      CHECK_FALSE(contains(text, "\x1b"));
      CHECK_FALSE(contains(text, "\x07"));
    }
    CHECK(contains(read_file(figures / "losses-by-iteration.tsv"), "(x\\n"));
    fs::remove(run / "samples/98.png");
    REQUIRE(call(bench.scratch(), {"report", run.string(), "--out", out}).status == 0);
    CHECK(contains(read_file(out), ", iteration 12</h3>"));
    CHECK(contains(read_file(out), "<span>&lt;/span&gt;&lt;script&gt;</span><span>b\\u0007</span>"));
  }
  SUBCASE("a run that was killed, or still runs, is told of as far as it got") {
    const fs::path run = bench.folders()[0];
    fs::remove(run / "summary.json");
    const std::string out = (bench.scratch() / "page.html").string();
    REQUIRE(call(bench.scratch(), {"report", bench.out(), "--out", out}).status == 0);
    CHECK(contains(read_file(out), "<td>ended without a summary</td><td>12</td><td>killed"));
    {
      const halfling::FolderLock training(run);
      REQUIRE(call(bench.scratch(), {"report", run.string(), "--out", out}).status == 0);
      CHECK(contains(read_file(out), "is training this acgan, so far for 12 iterations of 8 images"));
    }
    const Outcome json = call(bench.scratch(), {"report", run.string(), "--format", "json"});
    CHECK(nlohmann::json::parse(json.out)["runs"][0]["summary"]["iterations"] == 12);
  }
  SUBCASE("what is no run is refused") {
    const Outcome outcome = call(bench.scratch(), {"report", bench.out() + "/absent"});
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "this is no run folder"));
    CHECK(call(bench.scratch(), {"report"}).status == 2);
  }
}

TEST_CASE("a sweep over batch sizes has the answer and the figures of the article") {
  const Bench bench;
  write_file(bench.file(), small_experiment() +
                               "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n"
                               "\"input.batch_size\" = [4, 8, 16]\n");
  REQUIRE(bench.run().status == 0);
  for (const fs::path& run : bench.folders()) {
    const auto summary = read_json(run / "summary.json");
    const auto batch = summary["batch_size"].get<double>();
    const bool mixed = summary["precision"] == "mixed";
    set_figures(run, mixed ? 10 + batch : 3 * batch,
                mixed ? 104 << 20 : 100 << 20);  // 14, 18, 26; 12, 24, 48
  }
  const std::string folder = bench.out() + "/small";
  const Outcome outcome = call(bench.scratch(), {"report", folder, "--price", "0.36 USD/h"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string page = read_file(folder + "/report.html");
  check_self_contained(page);
  CHECK(contains(
      page,
      "<h1>mixed (fp16) trains this acgan 1.85 times as fast as fp32 [1.67, 2.04], in 4 % more memory, "
      "in batches of 16, the largest of 3 sizes.</h1>"));
  CHECK(contains(page, "mixed (fp16) pays in batches of 8 and more (measured: 4, 8, 16)."));
  CHECK(contains(page, "a million batches of 16 cost 4.80 USD in fp32 and 2.60 in mixed (fp16): 46 % less."));
  for (const char* name : {"time-by-batch", "samples-by-batch", "speed-by-batch", "cost-by-batch"}) {
    const fs::path file = folder + "/report.figures/" + name;
    CHECK(contains(page, "(" + std::string(name) + ")"));
    CHECK(contains(read_file(file.string() + ".tsv"), "# mixed (fp16)\n4\t"));
    if (has_gnuplot()) CHECK(contains(read_file(file.string() + ".svg"), "</svg>"));
  }
  CHECK(contains(read_file(folder + "/report.figures/time-by-batch.tsv"),
                 "# fp32\n4\t12\t11.4\t12.6\n8\t24\t"));
  CHECK(contains(read_file(folder + "/report.figures/cost-by-batch.tsv"), "# fp32\n4\t1.2\t1.14\t1.26\n"));

  const Outcome json = call(bench.scratch(), {"report", folder, "--format", "json"});
  const auto report = nlohmann::json::parse(json.out);
  REQUIRE(report["comparisons"].size() == 3);
  CHECK(report["comparisons"][2]["speed"]["ratio"].get<double>() == doctest::Approx(48. / 26));
  CHECK(report["settings"].size() == 6);
  CHECK(report["settings"][0]["cost"].is_null());
  CHECK(report["runs"][0]["metrics"].size() == 12);
  const Outcome wrong = call(bench.scratch(), {"report", folder, "--price", "gcp-t5"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "gcp-t4"));
}
