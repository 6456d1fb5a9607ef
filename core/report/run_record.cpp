// SPDX-License-Identifier: Apache-2.0
#include "report/run_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "halfling/error.hpp"
#include "report/json_number.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

LossPoint point_of(const ordered_json& line, const Summary& summary) {
  LossPoint point{line.at("iteration"), {}, {}};
  for (const OperationFigures& operation : summary.operations) {
    const ordered_json& figures = line.at("operations").at(operation.name);
    point.losses.push_back(number_of(figures.at("loss")));
    point.scales.push_back(number_of(figures.at("scale")));
  }
  return point;
}

std::vector<LossPoint> read_losses(const fs::path& file, const Summary& summary) {
  std::vector<LossPoint> points;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) try {
      points.push_back(point_of(ordered_json::parse(line), summary));
    } catch (const ordered_json::exception&) {  // a run that was killed may have left a torn last line
    }
  return points;
}

fs::path newest_grid(const fs::path& folder) {
  fs::path newest;
  long best = -1;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const long iteration = std::strtol(entry.path().stem().c_str(), nullptr, 10);
    if (entry.path().extension() != ".png" || iteration <= best) continue;
    best = iteration;
    newest = entry.path();
  }
  return newest;
}

Error no_run(const fs::path& folder) {
  return Error(
      {.what = "this is no run folder",
       .where = folder.string(),
       .got = "no summary.json that can be read",
       .expected = "RUNS/<experiment>/<trial>, as `halfling run` makes it, or a folder of such folders",
       .hint = "a run writes its summary when it ends",
       .kind = ErrorKind::usage});
}

}  // namespace

std::string RunRecord::title() const {
  std::string text = summary.label.empty() ? summary.experiment + ", " + summary.precision : summary.label;
  if (!summary.native)
    text += fmt::format(" [{} emulated: numerics, not speed]", fmt::join(summary.emulated, ", "));
  return text;
}

std::vector<Observation> RunRecord::last_observations() const {
  std::vector<Observation> last;
  for (const Observation& observation : observations)
    if (observation.iteration == observations.back().iteration) last.push_back(observation);
  return last;
}

RunRecord read_run(const fs::path& folder) {
  const auto summary = read_summary(folder / "summary.json");
  if (!summary) throw no_run(folder);
  return {folder, *summary, read_losses(folder / "metrics.jsonl", *summary),
          read_observations(folder / "monitor.jsonl"), newest_grid(folder / "samples")};
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::error_code none;
  if (fs::exists(folder / "summary.json", none)) return {folder};
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / "summary.json", none)) runs.push_back(entry.path());
  if (runs.empty()) throw no_run(folder);
  std::ranges::sort(runs, {}, [&](const fs::path& run) {
    return std::pair(fs::last_write_time(run / "summary.json", none), run);
  });
  return runs;
}

}  // namespace halfling
