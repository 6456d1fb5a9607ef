// SPDX-License-Identifier: Apache-2.0
#include "run/run_record.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/input_file.hpp"
#include "base/json_text.hpp"
#include "halfling/error.hpp"
#include "run/folder_lock.hpp"
#include "run/metrics.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

bool is_regular(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(file, none));
}

/// An object, empty where the file holds none.
ordered_json read_object(const fs::path& file) {
  if (!is_regular(file)) return ordered_json::object();
  ordered_json read = parse_json(read_file(file, largest_document, Links::refused).value_or(""));
  return read.is_object() ? read : ordered_json::object();
}

std::vector<std::pair<std::string, std::string>> read_values(const fs::path& file) {
  std::vector<std::pair<std::string, std::string>> values;
  const ordered_json origins = read_object(file);
  for (const auto& [key, origin] : origins.items())
    if (origin.is_object() && origin.contains("value") && origin["value"].is_string())
      values.emplace_back(key, origin["value"].get<std::string>());
  return values;
}

/// Files that are called by an iteration, with zeros before it or without; others are somebody else's.
std::vector<Grid> grids_in(const fs::path& folder) {
  std::vector<Grid> grids;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string stem = entry.path().stem().string();
    std::int64_t iteration = -1;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), iteration);
    if (entry.path().extension() != ".png" || error != std::errc{} || end != stem.data() + stem.size())
      continue;
    if (iteration >= 0 && is_regular(entry.path())) grids.push_back({entry.path(), iteration});
  }
  std::ranges::sort(grids, {}, &Grid::iteration);
  return grids;
}

std::int64_t integer(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What a run without a summary tells.
Summary unfinished(const RunRecord& run) {
  Summary s;
  s.experiment = run.value("experiment.name");
  s.trial = run.folder.filename().string();
  s.backend = run.environment_text("/device/backend");
  s.device = run.environment_text("/device/name");
  s.precision = run.value("precision.use");
  const std::string half = run.half();
  const std::string format = half == "fp16" ? "f16" : half;
  s.native = half.empty() || run.environment_text("/device/formats/" + format) != "emulated";
  if (!s.native) s.emulated = {format};
  s.batch_size = integer(run.value("input.batch_size"));
  s.ms_per_iteration = {std::nan(""), std::nan(""), std::nan("")};
  s.input_wait_share = std::nan("");
  return s;
}

/// As far as the lines of metrics go.
void advance(Summary& summary, const std::vector<RunMetrics>& metrics) {
  if (metrics.empty() || metrics.back().iteration < summary.iterations) return;
  summary.iterations = metrics.back().iteration;
  if (__builtin_mul_overflow(summary.iterations, summary.batch_size, &summary.samples))
    summary.samples = 0;  // no run can have had so many
  summary.wall_s = metrics.back().elapsed;
  summary.operations = metrics.back().operations;
}

bool is_run(const fs::path& folder) {
  return is_regular(folder / "summary.json") || is_regular(folder / "provenance.json");
}

/// Of the file that a run writes last, else first.
fs::file_time_type time_of(const fs::path& run) {
  std::error_code none;
  const fs::path summary = run / "summary.json";
  return fs::last_write_time(fs::exists(summary, none) ? summary : run / "provenance.json", none);
}

Error no_run(const fs::path& folder) {
  return Error(
      {.what = "this is no run folder",
       .where = folder.string(),
       .got = "no summary.json and no provenance.json that can be read",
       .expected = "RUNS/<experiment>/<trial>, as `halfling run` makes it, or a folder of such folders",
       .hint = {},
       .kind = ErrorKind::usage});
}

}  // namespace

std::string RunRecord::value(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
  if (found == values.end()) return {};
  const std::string& text = found->second;
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string RunRecord::environment_text(const std::string& pointer) const {
  const ordered_json* found = &environment;
  for (std::size_t begin = 1, end = 0; begin <= pointer.size(); begin = end + 1) {
    end = std::min(pointer.find('/', begin), pointer.size());
    const auto member = found->find(pointer.substr(begin, end - begin));
    if (member == found->end()) return {};
    found = &*member;
  }
  return found->is_string() ? found->get<std::string>() : json_text(*found);
}

std::string RunRecord::half() const {
  const std::string asked = value("precision.half");
  if (asked != "auto") return asked;
  const auto native = [&](const char* format) {
    return environment_text(std::string("/device/formats/") + format) == "native";
  };
  return !native("f16") && native("bf16") ? "bf16" : "fp16";
}

std::vector<Observation> RunRecord::last_observations() const {
  std::vector<Observation> last;
  for (const Observation& observation : observations)
    if (observation.iteration == observations.back().iteration) last.push_back(observation);
  return last;
}

RunRecord read_run(const fs::path& folder) {
  RunRecord run;
  run.folder = folder;
  run.environment = read_object(folder / "environment.json");
  run.values = read_values(folder / "provenance.json");
  const fs::path file = folder / "summary.json", metrics = folder / "metrics.jsonl",
                 monitor = folder / "monitor.jsonl";
  const auto summary = is_regular(file) ? read_summary(file) : std::nullopt;
  if (!summary && run.values.empty()) throw no_run(folder);
  if (is_regular(metrics)) run.metrics = read_metrics(metrics);
  run.summary = summary ? *summary : unfinished(run);
  const bool running = is_locked(folder);
  if (!summary || running) {
    run.summary.status = running ? "running" : "killed";
    advance(run.summary, run.metrics);
  }
  if (is_regular(monitor)) run.observations = read_observations(monitor);
  run.grids = grids_in(folder / "samples");
  if (is_regular(folder / "data.png")) run.data_sheet = folder / "data.png";
  return run;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::error_code none;
  if (is_run(folder)) return {folder};
  std::vector<fs::path> runs, others;
  for (const auto& entry : fs::directory_iterator(folder, none))
    (is_run(entry.path()) ? runs : others).push_back(entry.path());
  if (runs.empty())  // the folder that --out named, perhaps: its folders are experiments
    for (const fs::path& experiment : others)
      for (const auto& entry : fs::directory_iterator(experiment, none))
        if (is_run(entry.path())) runs.push_back(entry.path());
  if (runs.empty()) throw no_run(folder);
  std::ranges::sort(runs, {}, [&](const fs::path& run) { return std::pair(time_of(run), run); });
  return runs;
}

}  // namespace halfling
