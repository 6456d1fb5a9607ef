// SPDX-License-Identifier: Apache-2.0
#include "cli/trained_run.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "halfling/error.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

std::string iterations_text(const std::map<std::int64_t, fs::path>& kept) {
  std::string text;
  for (const auto& [iteration, file] : kept) text += (text.empty() ? "" : ", ") + std::to_string(iteration);
  return text;
}

/// Nothing but digits.
std::optional<std::int64_t> iteration_of(const std::string& text) {
  std::int64_t iteration = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), iteration);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(iteration) : std::nullopt;
}

}  // namespace

fs::path chosen_checkpoint(const fs::path& run, const std::string& checkpoint) {
  const fs::path folder = run / "checkpoints";
  if (checkpoint.empty()) {
    if (const auto newest = newest_checkpoint(folder)) return *newest;
    throw Error({.what = "the run has no checkpoint yet",
                 .where = folder.string(),
                 .hint = "let it run to its end, or end it with Ctrl-C",
                 .kind = ErrorKind::usage});
  }
  const auto iteration = iteration_of(checkpoint);
  if (!iteration) return checkpoint;
  const auto kept = kept_checkpoints(folder);
  if (const auto found = kept.find(*iteration); found != kept.end()) return found->second;
  throw Error({.what = "the run has kept no checkpoint of this iteration",
               .where = folder.string(),
               .got = "--checkpoint " + checkpoint,
               .expected = fmt::format("one of {}, or a file", iterations_text(kept)),
               .hint = "[checkpoint] keep says how many of the newest stay",
               .kind = ErrorKind::usage});
}

void add_checkpoint(Grammar& grammar) {
  grammar.options.add_options()(
      "checkpoint", boost::program_options::value<std::string>()->value_name("N|FILE"),
      "the iteration of a checkpoint that the run has kept, or a file; default: the newest");
}

std::string checkpoint_text(const Values& values) {
  return values.count("checkpoint") == 0 ? "" : values["checkpoint"].as<std::string>();
}

TrainedRun trained_run(const fs::path& run, const std::string& checkpoint, const Registry& registry) {
  std::error_code none;
  if (!fs::exists(run / "experiment.toml", none))
    throw Error({.what = "this is no run folder",
                 .where = run.string(),
                 .got = "no experiment.toml in it",
                 .expected = "RUN/<experiment>/<trial>, as `halfling run` makes it",
                 .kind = ErrorKind::usage});
  // A run folder holds exactly one trial.
  TrainedRun trained{load_experiment({run / "experiment.toml", {}}, registry).trials.front(), {}, {}};
  trained.checkpoint = chosen_checkpoint(run, checkpoint);
  trained.label = read_label(trained.checkpoint);
  return trained;
}

}  // namespace halfling::cli
