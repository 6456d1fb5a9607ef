// SPDX-License-Identifier: Apache-2.0
// halfling data EXPERIMENT [--out sheet.png]
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/experiment_file.hpp"
#include "cli/table.hpp"
#include "experiment/located.hpp"
#include "halfling/error.hpp"
#include "input/class_samples.hpp"
#include "input/dataset_part.hpp"
#include "plugin/registry.hpp"
#include "run/png.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;

/// Empty: no contact sheet is wanted.
std::string output(const Values& values) {
  if (values.count("out") == 0) return {};
  const std::string out = values["out"].as<std::string>();
  if (fs::path(out).extension() == ".png") return output_path(out).string();
  throw Error({.what = "a contact sheet is written as PNG only",
               .where = "--out",
               .got = out,
               .expected = "a name that ends in .png",
               .kind = ErrorKind::usage});
}

/// What `make` returns; what a plugin finds wrong with the experiment is told at its option.
template <class Make>
auto located(const Experiment& trial, std::string_view table, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    if (error.details().kind != ErrorKind::usage) throw;
    config::Diagnostics diagnostics;
    for (const auto& report : config::located(trial, error.details(), table)) diagnostics.add(report);
    diagnostics.raise();
    throw;
  }
}

/// Images of a class in a row: fewer where they are large.
int columns_for(const Shape& image) {
  constexpr std::int64_t most = 10, pixels = 1280;
  return static_cast<int>(std::clamp<std::int64_t>(pixels / image[2], 1, most));
}

struct Data {
  std::vector<std::string> classes;
  Shape image;  ///< transformed
  int columns = 0;
  ClassSamples samples;

  std::int64_t size() const {
    std::int64_t size = 0;
    for (const std::int64_t count : samples.counts) size += count;
    return size;
  }
  double share(std::size_t label) const {
    return static_cast<double>(samples.counts[label]) / static_cast<double>(size());
  }
  double balanced() const { return 1.0 / static_cast<double>(classes.size()); }
};

Data look_at(const Experiment& trial, const Registry& registry, bool sheet) {
  const auto dataset = located(trial, Dataset::kind, [&] { return training_part(trial, registry); });
  const auto chain = located(trial, Transform::kind, [&] {
    return TransformChain({.shape = dataset->sample_shape()}, make_transforms(trial, registry));
  });
  Data data{dataset->classes(), chain.output().shape, 0, {}};
  if (sheet) data.columns = columns_for(data.image);
  const OrderSettings order{trial.seed, trial.input.shuffle, trial.input.balance};
  data.samples = located(trial, "input", [&] { return class_samples(*dataset, chain, order, data.columns); });
  return data;
}

void write_sheet(const std::string& out, const Data& data) {
  std::string rows = "Rows from the top:";
  for (const std::string& name : data.classes) rows += "\n" + name;
  write_png(out, grid(data.samples.images, data.image, data.columns), rows);
}

void print_text(const Experiment& trial, const Data& data) {
  std::string after;
  for (const NamedChoice& element : trial.transforms)
    after += (after.empty() ? " (after " : ", ") + element.name;
  if (!after.empty()) after += ")";
  std::cout << printable(fmt::format("data {}: {} samples of {}{} in {} classes", trial.dataset.use,
                                     data.size(), data.image.text(), after, data.classes.size()))
            << "\n\n";
  const bool balance = trial.input.balance;
  std::vector<Row> rows{{"ROW", "CLASS", "SAMPLES", "SHARE"}};
  if (balance) rows[0].insert(rows[0].end(), {"SEEN", "VISITS"});
  for (std::size_t i = 0; i < data.classes.size(); ++i) {
    const double share = data.share(i);
    rows.push_back({std::to_string(i + 1), data.classes[i], std::to_string(data.samples.counts[i]),
                    fmt::format("{:.1f} %", 100 * share)});
    if (balance)
      rows.back().insert(rows.back().end(), {fmt::format("{:.1f} %", 100 * data.balanced()),
                                             fmt::format("{:.3g}", data.balanced() / share)});
  }
  std::cout << table(std::move(rows), output_width(), {{"CLASS", Narrowing::How::cut_end}});
  if (balance)
    std::cout
        << "\nSEEN is of what training sees (input.balance), VISITS how often a sample comes in an epoch.\n";
}

void print_json(const Experiment& trial, const Data& data, const std::string& out) {
  ordered_json transforms = ordered_json::array(), classes = ordered_json::array();
  for (const NamedChoice& element : trial.transforms) transforms.push_back(element.name);
  for (std::size_t i = 0; i < data.classes.size(); ++i)
    classes.push_back({{"name", data.classes[i]},
                       {"samples", data.samples.counts[i]},
                       {"seen", trial.input.balance ? data.balanced() : data.share(i)}});
  const ordered_json result = {{"experiment", trial.name},
                               {"trial", trial.id},
                               {"label", trial.label},
                               {"dataset", trial.dataset.use},
                               {"samples", data.size()},
                               {"image", {data.image[0], data.image[1], data.image[2]}},
                               {"transforms", std::move(transforms)},
                               {"balance", trial.input.balance},
                               {"classes", std::move(classes)},
                               {"sheet", out.empty() ? ordered_json() : ordered_json(out)}};
  std::cout << json_text(result, 2) << "\n";
}

}  // namespace

Grammar data_grammar() {
  Grammar grammar{.synopsis = "data EXPERIMENT [--out FILE] [options]",
                  .description =
                      "Counts the samples of each class, and draws a contact sheet of what the network\n"
                      "will see of them: transformed, in the order of the first epoch, a class in a row.\n"
                      "It trains nothing."};
  add_experiment(grammar);
  add_trial(grammar);
  grammar.options.add_options()("out", po::value<std::string>()->value_name("FILE"),
                                "PNG file to write the contact sheet to");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_data(const Values& values) {
  const bool json_wanted = wants_json(values);
  const std::string out = output(values);
  const Registry registry = Registry::scan(plugin_path(values));
  for (const std::string& note : refusal_notes(registry)) std::cerr << printable(note) << "\n";
  const LoadedExperiment loaded = load(values, registry);
  const auto chosen = chosen_trial(values, loaded);
  const Experiment& trial = loaded.trials[chosen.value_or(0)];
  const Data data = look_at(trial, registry, !out.empty());
  for (const std::string& note : loaded.notes) std::cerr << printable(note) << "\n";
  if (!chosen && loaded.trials.size() > 1)
    std::cerr << fmt::format("trial 1 of {}; --trial N looks at another\n", loaded.trials.size());
  if (trial.input.balance && data.classes.size() == 1)
    std::cerr << "input.balance changes nothing: the data set has one class, so its samples have no labels "
                 "to balance\n";
  if (!out.empty()) write_sheet(out, data);
  if (json_wanted)
    print_json(trial, data, out);
  else
    print_text(trial, data);
  if (!out.empty())
    std::cerr << fmt::format("{}: a row for each class, in the order of the table\n", printable(out));
  return exit_done;
}

}  // namespace halfling::cli
