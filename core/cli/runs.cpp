// SPDX-License-Identifier: Apache-2.0
// halfling runs [FOLDER...]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_number.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "run/folder_lock.hpp"
#include "run/run_record.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Listed {
  fs::path folder;
  Summary summary;  ///< `status` is "unreadable", and `error` says why, where the folder cannot be read
  double age_s = 0;
  std::uint64_t bytes = 0;
};

/// Of the file in it that was written last; and the bytes of all.
void look_at_files(Listed& run) {
  fs::file_time_type latest = fs::file_time_type::min();
  std::error_code none;
  for (fs::recursive_directory_iterator entry(run.folder, none), end; !none && entry != end;
       entry.increment(none)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    if (const auto size = entry->file_size(gone); !gone) run.bytes += size;
    if (const auto time = entry->last_write_time(gone); !gone) latest = std::max(latest, time);
  }
  if (latest != fs::file_time_type::min())
    run.age_s = std::chrono::duration<double>(fs::file_time_type::clock::now() - latest).count();
}

Listed look_at(const fs::path& folder) {
  Listed run{.folder = folder, .summary = {}};
  try {
    run.summary = read_run(folder).summary;
  } catch (const Error& error) {
    run.summary.status = "unreadable";
    run.summary.error = error.details().what;
    run.summary.experiment = folder.parent_path().filename().string();
    run.summary.trial = folder.filename().string();
    run.summary.ms_per_iteration = {std::nan(""), std::nan(""), std::nan("")};
  }
  look_at_files(run);
  return run;
}

std::string text_or(const Values& values, const char* option) {
  return values.count(option) == 0 ? "" : values[option].as<std::string>();
}

bool chosen(const Values& values, const Listed& run) {
  const std::string status = text_or(values, "status"), experiment = text_or(values, "experiment");
  const double older = values.count("older") == 0 ? 0 : 86400 * values["older"].as<double>();
  return (status.empty() || run.summary.status == status) &&
         (experiment.empty() || run.summary.experiment == experiment) && run.age_s >= older;
}

std::vector<Listed> chosen_runs(const Values& values) {
  const Arguments folders =
      values.count("folder") == 0 ? Arguments{"runs"} : values["folder"].as<Arguments>();
  std::vector<Listed> runs;
  for (const std::string& folder : folders)
    for (const fs::path& found : runs_in(folder))
      if (Listed run = look_at(found); chosen(values, run)) runs.push_back(std::move(run));
  return runs;
}

std::string age_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.0f} h", seconds / 3600);
  return fmt::format("{:.0f} d", seconds / 86400);
}

std::string figure(double value) {
  return std::isnan(value) || value == 0 ? "-" : fmt::format("{:.4g}", value);
}

std::string quality_text(const Summary& run) {
  if (!run.quality || !run.quality->error.empty()) return "";
  return figure(run.quality->generated.frechet_distance);
}

std::string text_of(const std::vector<Listed>& runs) {
  std::vector<Row> rows{{"EXPERIMENT", "TRIAL", "LABEL", "STATUS", "ITERATIONS", "MS/ITERATION", "IMAGES/S",
                         "FRECHET", "AGE", "SIZE"}};
  std::uint64_t bytes = 0;
  for (const Listed& run : runs) {
    const Summary& s = run.summary;
    rows.push_back({s.experiment, s.trial, s.label.empty() ? s.precision : s.label, s.status,
                    std::to_string(s.iterations), figure(s.ms_per_iteration.median), figure(s.images_per_s()),
                    quality_text(s), age_text(run.age_s), size_text(run.bytes)});
    bytes += run.bytes;
  }
  using How = Narrowing::How;
  return table(std::move(rows), output_width(),
               {{"FRECHET", How::drop},
                {"IMAGES/S", How::drop},
                {"LABEL", How::fold, 16},
                {"AGE", How::drop},
                {"MS/ITERATION", How::drop},
                {"EXPERIMENT", How::cut_end, 8}}) +
         fmt::format("{} {}, {}\n", runs.size(), runs.size() == 1 ? "run" : "runs", size_text(bytes));
}

ordered_json json_of(const std::vector<Listed>& runs) {
  ordered_json list = ordered_json::array();
  for (const Listed& run : runs) {
    const Summary& s = run.summary;
    list.push_back({{"folder", run.folder.string()},
                    {"experiment", s.experiment},
                    {"trial", s.trial},
                    {"label", s.label},
                    {"precision", s.precision},
                    {"status", s.status},
                    {"iterations", s.iterations},
                    {"ms_per_iteration", json_number(s.ms_per_iteration.median)},
                    {"images_per_s", json_number(s.images_per_s())},
                    {"age_s", run.age_s},
                    {"bytes", run.bytes}});
    if (!s.error.empty()) list.back()["error"] = s.error;
  }
  return list;
}

/// What nobody goes on with, unless the user says which status: runs that failed, and killed ones that left
/// no checkpoint.
bool may_go(const Values& values, const Listed& run) {
  const std::string& status = run.summary.status;
  if (status == "running") return false;
  if (values.count("status") != 0) return true;
  std::error_code none;
  return status == "failed" || (status == "killed" && (!fs::exists(run.folder / "checkpoints", none) ||
                                                       fs::is_empty(run.folder / "checkpoints", none)));
}

bool agreed(const Values& values, const std::string& question) {
  if (values["yes"].as<bool>()) return true;
  if (::isatty(STDIN_FILENO) == 0)
    throw Error({.what = "nobody is there to be asked whether runs may be deleted",
                 .where = "--prune",
                 .expected = "a terminal, or --yes",
                 .kind = ErrorKind::usage});
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

/// A run that another process has begun to continue meanwhile stays.
bool remove_run(const fs::path& folder) {
  try {
    const FolderLock lock(folder);
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) return true;
    std::cerr << fmt::format("{}: not deleted: {}\n", printable(folder.string()), error.message());
  } catch (const Error& error) {
    std::cerr << fmt::format("{}: not deleted: {}\n", printable(folder.string()), error.details().what);
  }
  return false;
}

int prune(const Values& values, const std::vector<Listed>& runs) {
  std::vector<Listed> going;
  for (const Listed& run : runs)
    if (may_go(values, run)) going.push_back(run);
  if (going.empty()) {
    std::cerr << "nothing to delete\n";
    return exit_done;
  }
  std::cout << text_of(going) << std::flush;
  if (!agreed(values, "Delete them?")) return exit_done;
  const auto deleted = std::ranges::count_if(going, [](const Listed& run) { return remove_run(run.folder); });
  std::cerr << fmt::format("{} deleted\n", deleted);
  return deleted == static_cast<std::ptrdiff_t>(going.size()) ? exit_done : exit_failed;
}

}  // namespace

Grammar runs_grammar() {
  namespace po = boost::program_options;
  Grammar grammar{
      .synopsis = "runs [FOLDER...] [options]",
      .description =
          "Lists the runs that lie in folders, `runs` unless given, with what they came to. With --prune\n"
          "it deletes of the listed ones those that failed, and those that were killed before their\n"
          "first checkpoint; with --status all of that status. It asks first, and never deletes a run\n"
          "that goes on.",
      .repeated = "folder"};
  grammar.options.add_options()(
      "status", po::value<std::string>()->value_name("done|interrupted|killed|failed|running"),
      "list only runs of this status")("experiment", po::value<std::string>()->value_name("NAME"),
                                       "list only runs of this experiment")(
      "older", po::value<double>()->value_name("DAYS"),
      "list only runs in which nothing was written for so long")(
      "prune", po::bool_switch(), "delete runs, after a question")("yes", po::bool_switch(),
                                                                   "delete them without a question");
  add_format(grammar);
  return grammar;
}

int run_runs(const Values& values) {
  const std::vector<Listed> runs = chosen_runs(values);
  if (values["prune"].as<bool>()) return prune(values, runs);
  if (wants_json(values))
    std::cout << json_text(json_of(runs), 2) << "\n";
  else
    std::cout << text_of(runs);
  return exit_done;
}

}  // namespace halfling::cli
