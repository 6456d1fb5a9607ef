// SPDX-License-Identifier: Apache-2.0
// halfling sample RUN --out grid.png
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <numeric>

#include "base/atomic_file.hpp"
#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/trained_run.hpp"
#include "halfling/error.hpp"
#include "iteration/iteration.hpp"
#include "plan/platform.hpp"
#include "plugin/registry.hpp"
#include "run/checkpoint.hpp"
#include "train/sampler.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

Error usage(std::string what, std::string where, std::string got, std::string expected, std::string hint) {
  return Error({.what = std::move(what),
                .where = std::move(where),
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = std::move(hint),
                .kind = ErrorKind::usage});
}

std::int32_t class_index(const std::string& word, const std::vector<std::string>& classes) {
  const auto found = std::ranges::find(classes, word);
  if (found != classes.end()) return static_cast<std::int32_t>(found - classes.begin());
  std::int32_t index = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  if (whole && index >= 0 && index < static_cast<std::int32_t>(classes.size())) return index;
  throw usage("the run knows no class of this name", "--classes", word,
              fmt::format("among {}", fmt::join(classes, ", ")), did_you_mean(word, classes));
}

std::vector<std::int32_t> columns(const po::variables_map& values, const std::vector<std::string>& classes) {
  std::vector<std::int32_t> result;
  if (values.count("classes") == 0) {
    result.resize(classes.size());
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  const std::string list = values["classes"].as<std::string>();
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.push_back(class_index(list.substr(begin, end - begin), classes));
    begin = end + 1;
  }
  return result;
}

std::int64_t rows(const po::variables_map& values, std::int64_t otherwise) {
  if (values.count("rows") == 0) return otherwise;
  const auto given = values["rows"].as<std::int64_t>();
  if (given >= 1 && given <= 1024) return given;
  throw usage("a grid cannot have this many rows", "--rows", std::to_string(given), "1 to 1024", {});
}

std::uint64_t seed(const po::variables_map& values, std::uint64_t otherwise) {
  if (values.count("seed") == 0) return otherwise;
  const auto given = values["seed"].as<std::int64_t>();
  if (given >= 0) return static_cast<std::uint64_t>(given);
  throw usage("a seed cannot be negative", "--seed", std::to_string(given), "0 or more", {});
}

/// Found wrong before anything is drawn.
std::string output(const po::variables_map& values) {
  const std::string out = values["out"].as<std::string>();
  if (fs::path(out).extension() == ".png") return output_path(out).string();
  throw usage("the grid is written as PNG only", "--out", out, "a name that ends in .png", {});
}

/// Steps between two z; nullopt: a grid.
std::optional<std::int64_t> steps(const po::variables_map& values) {
  if (values.count("interpolate") == 0) return std::nullopt;
  const auto given = values["interpolate"].as<std::int64_t>();
  if (given >= 2 && given <= 256) return given;
  throw usage("an interpolation cannot have this many steps", "--interpolate", std::to_string(given),
              "2 to 256", {});
}

void draw(const po::variables_map& values, const Registry& registry, const fs::path& run) {
  const std::string out = output(values);
  const auto interpolate = steps(values);
  const auto [experiment, checkpoint, label] = trained_run(run, checkpoint_text(values), registry);
  Platform platform = make_platform(experiment, registry);
  if (!has_generator(*platform.architecture, label.spec))
    throw usage("the run's architecture has no generator, so it draws no images", run.string(),
                experiment.architecture.use, "a run of a GAN", {});
  const std::unique_ptr<Session> session = platform.backend->open(platform.device_index);
  Sampler sampler(
      *session, *platform.architecture, *platform.policy,
      {label.spec, columns(values, label.classes), interpolate.value_or(rows(values, experiment.sample.rows)),
       seed(values, experiment.sample.seed), averages_to_draw_with(experiment)});
  load_states(checkpoint, sampler.graph().states(), *session);
  write_png(out, interpolate ? sampler.draw_interpolation() : sampler.draw());
  std::cerr << fmt::format("{}: iteration {} of {} on {}\n", out, label.iteration, experiment.name,
                           platform.backend_name);
}

}  // namespace

Grammar sample_grammar() {
  Grammar grammar{.synopsis = "sample RUN --out FILE [options]",
                  .description =
                      "Draws a grid of images from a checkpoint of a run folder, one column per\n"
                      "class; or, with --interpolate, what lies between two z, one row per class.",
                  .positional = {"run"}};
  grammar.options.add_options()("out", po::value<std::string>()->value_name("FILE"), "PNG file to write");
  grammar.options.add_options()("classes", po::value<std::string>()->value_name("NAME,…"),
                                "columns, names or numbers from 0, with commas between; default: all");
  grammar.options.add_options()("seed", po::value<std::int64_t>()->value_name("N"),
                                "of the noise; default: sample.seed of the experiment");
  grammar.options.add_options()("rows", po::value<std::int64_t>()->value_name("N"),
                                "images per class; default: sample.rows of the experiment");
  grammar.options.add_options()("interpolate", po::value<std::int64_t>()->value_name("N"),
                                "so many steps from the z of --seed to that of the next seed");
  add_checkpoint(grammar);
  add_plugin_path(grammar);
  return grammar;
}

int run_sample(const Values& values) {
  if (values.count("run") == 0 || values.count("out") == 0)
    throw usage("sample needs a run folder and a file to write", {}, {}, "halfling sample RUN --out FILE",
                {});
  const Registry registry = Registry::scan(plugin_path(values));
  for (const std::string& note : refusal_notes(registry)) std::cerr << printable(note) << "\n";
  draw(values, registry, values["run"].as<std::string>());
  return exit_done;
}

}  // namespace halfling::cli
