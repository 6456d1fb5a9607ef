// SPDX-License-Identifier: Apache-2.0
// What a command of the program is made of: one file per command, one row per command in the table of
// main.cpp.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halfling {
class Registry;
}

namespace halfling::cli {

using Arguments = std::vector<std::string>;
using Values = boost::program_options::variables_map;

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_interrupted = 130;

/// What a command accepts, and its help text.
struct Grammar {
  std::string synopsis;     ///< "run EXPERIMENT [options]"
  std::string description;  ///< a few sentences, may be empty
  boost::program_options::options_description options{"options"};
  std::vector<std::string> positional{};  ///< names of positional arguments, each at most once
  std::string repeated{};  ///< name of a positional argument that takes all the rest, may be empty
};

/// A row of the table. `run` gets what was given, parsed by the grammar; it writes results to stdout and the
/// rest to stderr, and returns the exit status; it throws Error for everything else.
struct Command {
  const char* name;
  const char* summary;
  Grammar (*grammar)();
  int (*run)(const Values&);
};

/// All commands, in the order of the help text.
std::span<const Command> commands();

/// Parses by the grammar; adds --help. Empty when help was asked for and printed. Unknown options, missing
/// values and surplus arguments are an Error (usage); options are never abbreviated.
std::optional<Values> parse(const Grammar& grammar, const Arguments& arguments);

/// --plugin-path DIR, may be given several times.
void add_plugin_path(Grammar& grammar);
std::vector<std::filesystem::path> plugin_path(const Values& values);

/// A line for each file on the search path that is no usable plugin; where they are many, one for all.
std::vector<std::string> refusal_notes(const Registry& registry);

/// --format text|json; true for json.
void add_format(Grammar& grammar);
bool wants_json(const Values& values);

Grammar checkpoint_grammar();
int run_checkpoint(const Values& values);
Grammar completion_grammar();
int run_completion(const Values& values);
Grammar data_grammar();
int run_data(const Values& values);
Grammar devices_grammar();
int run_devices(const Values& values);
Grammar diff_grammar();
int run_diff(const Values& values);
Grammar explain_grammar();
int run_explain(const Values& values);
Grammar export_grammar();
int run_export(const Values& values);
Grammar fetch_grammar();
int run_fetch(const Values& values);
Grammar init_grammar();
int run_init(const Values& values);
/// The words that `new` takes for kinds of plugins.
std::vector<std::string> new_kinds();
Grammar new_grammar();
int run_new(const Values& values);
Grammar plan_grammar();
int run_plan(const Values& values);
Grammar plugins_grammar();
int run_plugins(const Values& values);
Grammar quality_grammar();
int run_quality(const Values& values);
Grammar report_grammar();
int run_report(const Values& values);
Grammar run_grammar();
int run_run(const Values& values);
Grammar runs_grammar();
int run_runs(const Values& values);
Grammar sample_grammar();
int run_sample(const Values& values);
Grammar schema_grammar();
int run_schema(const Values& values);

}  // namespace halfling::cli
