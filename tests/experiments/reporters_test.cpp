// SPDX-License-Identifier: Apache-2.0
// The reporters that come with the program, beside those that are always on.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

const Words settings{"--quiet", "--set", "checkpoint.every=6it", "--set", "checkpoint.keep=5"};

struct Reported {
  Bench bench;
  explicit Reported(const std::string& reporters) {
    write_file(bench.file(), small_experiment() + reporters);
  }
  void run(Words more = {}) const {
    more.insert(more.end(), settings.begin(), settings.end());
    const Outcome outcome = bench.run(more);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
  }
  /// Goes on from the checkpoint of iteration 6.
  void cut_and_resume() const {
    fs::remove(folder() / "checkpoints/12.safetensors");
    fs::remove(folder() / "summary.json");
    run({"--resume"});
  }
  fs::path folder() const { return bench.folders().front(); }
};

std::vector<std::vector<std::string>> table_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

void check_table(const fs::path& run) {
  const auto rows = table_of(run / "metrics.csv");
  const auto lines = read_lines(run / "metrics.jsonl");
  REQUIRE(rows.size() == lines.size() + 1);
  CHECK(rows[0][0] == "iteration");
  CHECK(rows[0][4] == "d.loss");
  CHECK(rows[0].size() == 4 + 3 * 5);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    REQUIRE(rows[i + 1].size() == rows[0].size());
    CHECK(std::stoll(rows[i + 1][0]) == lines[i]["iteration"]);
    CHECK(std::stod(rows[i + 1][4]) == lines[i]["operations"]["d"]["loss"].get<double>());
    CHECK(std::stod(rows[i + 1][5]) == lines[i]["operations"]["d"]["loss_scale"].get<double>());
  }
}

}  // namespace

TEST_CASE("csv has the figures of metrics.jsonl, also of a run that was resumed") {
  const Reported reported("\n[[reporter]]\nuse = \"csv\"\n");
  reported.run();
  check_table(reported.folder());
  const std::string straight = read_file(reported.folder() / "metrics.csv");
  reported.cut_and_resume();
  check_table(reported.folder());
  const auto rows_of = [](const std::string& text) { return text.substr(0, text.find("\n7,")); };
  CHECK(rows_of(read_file(reported.folder() / "metrics.csv")) == rows_of(straight));  // up to the checkpoint
  const Outcome elsewhere = reported.bench.run_with("reporter.csv.file=../x.csv");
  CHECK(elsewhere.status == 2);
  CHECK(contains(elsewhere.err, "\"reporter.csv.file\": the table is a file of the run folder"));
}

TEST_CASE("tensorboard writes a file of whole records for each execution") {
  const Reported reported("\n[[reporter]]\nuse = \"tensorboard\"\n");
  reported.run();
  reported.cut_and_resume();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(reported.folder() / "tensorboard")) {
    ++files;
    CHECK(entry.path().filename().string().starts_with("events.out.tfevents."));
    const std::string bytes = read_file(entry.path());
    std::size_t at = 0, records = 0;
    while (at + 12 <= bytes.size()) {
      std::uint64_t length = 0;
      for (int i = 7; i >= 0; --i)
        length = length << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
      at += 12 + length + 4;
      ++records;
    }
    CHECK(at == bytes.size());
    CHECK(records >= 6);
    CHECK(contains(bytes, "brain.Event:2"));
    CHECK(contains(bytes, "\x89PNG"));
    CHECK(contains(bytes, "loss/d"));
    CHECK(contains(bytes, "optimizer.use"));
  }
  CHECK(files == 2);
}
