// SPDX-License-Identifier: Apache-2.0
// halfling quality RUN...
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "cli/trained_run.hpp"
#include "evaluate/measure.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "run/quality_json.hpp"
#include "run/run_record.hpp"
#include "train/interrupt.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

struct Measured {
  fs::path run;
  Quality quality;
};

Experiment experiment_of(const fs::path& run, const Registry& registry) {
  return load_experiment({run / "experiment.toml", {}}, registry).trials.front();
}

/// --samples, else what the experiment asks for, else the usual number.
std::int64_t samples(const Values& values, const Experiment& experiment) {
  if (values.count("samples") != 0) return values["samples"].as<std::int64_t>();
  return experiment.quality.active() ? experiment.quality.samples : usual_samples;
}

/// Of the newest checkpoint, which the summary is about: it goes there, too.
Quality measure_run(const Values& values, const Registry& registry, const fs::path& run, const Note& note) {
  const Experiment experiment = experiment_of(run, registry);
  if (values.count("checkpoint") != 0)
    return measure_quality(experiment, registry, std::array{chosen_checkpoint(run, checkpoint_text(values))},
                           samples(values, experiment), note);
  Summary summary = read_run(run).summary;
  return add_quality(experiment, registry, run, samples(values, experiment), summary, note);
}

std::string figure(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

Row row_of(const std::string& run, const std::string& images, const ImageQuality& q) {
  return {run,
          images,
          figure(q.frechet_distance, 3),
          figure(q.kernel_distance, 4),
          figure(q.precision, 3),
          figure(q.recall, 3),
          figure(q.class_accuracy, 3),
          figure(q.class_balance, 3)};
}

std::string text_of(const std::vector<Measured>& all) {
  std::vector<Row> rows{{"RUN", "IMAGES", "FRECHET DISTANCE", "KERNEL DISTANCE", "PRECISION", "RECALL",
                         "CLASS ACCURACY", "CLASS BALANCE"}};
  std::string notes;
  for (const auto& [run, quality] : all) {
    const std::string name = run.string();
    if (!quality.error.empty()) {
      notes += fmt::format("{}: not measured: {}\n", name, quality.error);
      continue;
    }
    rows.push_back(row_of(name, "generated", quality.generated));
    if (quality.averages) rows.push_back(row_of(name, "averages", *quality.averages));
    rows.push_back(row_of(name, "real", quality.real));
    notes += fmt::format("{}: {} images of iteration {}, seen by {}\n", name, quality.samples,
                         quality.iteration, quality.extractor);
  }
  using How = Narrowing::How;
  const std::string figures = rows.size() == 1
                                  ? ""
                                  : table(std::move(rows), output_width(),
                                          {{"RUN", How::cut_begin, 12}, {"CLASS BALANCE", How::drop}});
  return figures + wrapped(printable_lines(notes), output_width());
}

std::string json_of(const std::vector<Measured>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [run, quality] : all)
    list.push_back({{"folder", run.string()}, {"quality", quality_json(quality)}});
  return json_text(list, 2) + "\n";
}

/// Of all RUN. A checkpoint is one run's.
std::vector<fs::path> chosen_runs(const Values& values) {
  const auto usage = [](std::string what, std::string expected) {
    return Error({.what = std::move(what),
                  .expected = std::move(expected),
                  .hint = "see `halfling quality --help`",
                  .kind = ErrorKind::usage});
  };
  if (values.count("run") == 0) throw usage("quality needs a run folder", "halfling quality RUN...");
  std::vector<fs::path> runs;
  for (const std::string& folder : values["run"].as<Arguments>())
    for (const fs::path& run : runs_in(folder)) runs.push_back(run);
  if (values.count("checkpoint") != 0 && runs.size() != 1)
    throw usage("a checkpoint is of one run", "one run folder beside --checkpoint");
  return runs;
}

}  // namespace

Grammar quality_grammar() {
  namespace po = boost::program_options;
  Grammar grammar{
      .synopsis = "quality RUN... [options]",
      .description =
          "Measures how good the images of finished runs are: generated ones from the newest\n"
          "checkpoint, and held-out ones to hold them against, each compared with training images\n"
          "through a classifier that is trained here once for the data. The figures go into\n"
          "summary.json, too. RUN is a run folder, or a folder of run folders.",
      .repeated = "run"};
  grammar.options.add_options()(
      "checkpoint", po::value<std::string>()->value_name("N|FILE"),
      "the iteration of a checkpoint that the run has kept, or a file, instead; the "
      "summary is left as it is");
  grammar.options.add_options()("samples", po::value<std::int64_t>()->value_name("N"),
                                "images in each set; default: quality.samples of the experiment, or 1000");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_quality(const Values& values) {
  const bool json_wanted = wants_json(values);
  const std::vector<fs::path> runs = chosen_runs(values);
  const Registry registry = Registry::scan(plugin_path(values));
  for (const std::string& note : refusal_notes(registry)) std::cerr << printable(note) << "\n";
  watch_interrupts(true);
  std::vector<Measured> all;
  bool failed = false;
  for (const fs::path& run : runs) {
    if (interrupted()) break;
    std::cerr << printable(run.string()) << "\n";
    const Note note = [](const std::string& line) { std::cerr << printable(line) << std::endl; };
    all.push_back({run, measure_run(values, registry, run, note)});
    failed = failed || !all.back().quality.error.empty();
  }
  std::cout << (json_wanted ? json_of(all) : text_of(all));
  if (interrupted()) return exit_interrupted;
  return failed ? exit_failed : exit_done;
}

}  // namespace halfling::cli
