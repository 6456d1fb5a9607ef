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

/// A row of the table. `run` gets what follows the command's name, writes results to stdout and the rest to
/// stderr, and returns the exit status; it throws Error for everything else.
struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
};

/// All commands, in the order of the help text.
std::span<const Command> commands();

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

/// Parses by the grammar; adds --help. Empty when help was asked for and printed. Unknown options, missing
/// values and surplus arguments are an Error (usage); options are never abbreviated.
std::optional<boost::program_options::variables_map> parse(const Grammar& grammar,
                                                           const Arguments& arguments);

/// The grammar with which a command calls parse, which must be the first that it does. Nothing else of it
/// runs.
Grammar grammar_of(const Command& command);

/// --plugin-path DIR, may be given several times.
void add_plugin_path(Grammar& grammar);
std::vector<std::filesystem::path> plugin_path(const boost::program_options::variables_map& values);

/// A line for each file on the search path that is no usable plugin: nothing is passed over silently.
std::vector<std::string> refusal_notes(const Registry& registry);

/// --format text|json; true for json.
void add_format(Grammar& grammar);
bool wants_json(const boost::program_options::variables_map& values);

int run_completion(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_diff(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_init(const Arguments& arguments);
int run_plan(const Arguments& arguments);
int run_plugins(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_run(const Arguments& arguments);
int run_sample(const Arguments& arguments);
int run_schema(const Arguments& arguments);

}  // namespace halfling::cli
