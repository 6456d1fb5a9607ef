// SPDX-License-Identifier: Apache-2.0
// The program: looks the command up, runs it and turns exceptions into messages and an exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <new>

#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "base/wait_policy.hpp"
#include "cli/command.hpp"
#include "cli/error_json.hpp"
#include "cli/guesses.hpp"
#include "cli/table.hpp"
#include "experiment/diagnostics.hpp"
#include "halfling/error.hpp"
#include "halfling/plugin.hpp"
#include "halfling/processors.hpp"
#include "measure/build.hpp"
#include "plugin/call.hpp"
#include "plugin/search_path.hpp"
#include "train/interrupt.hpp"

namespace halfling::cli {
namespace {

constexpr Command all_commands[] = {
    {"run", "train the trials of an experiment file", run_grammar, run_run},
    {"plan", "say what a run would do and need, and run nothing", plan_grammar, run_plan},
    {"data", "count the samples of each class, and draw some as the network sees them", data_grammar,
     run_data},
    {"fetch", "fetch, check and unpack a data set", fetch_grammar, run_fetch},
    {"explain", "say where every value of an experiment came from", explain_grammar, run_explain},
    {"init", "write a commented experiment to start from", init_grammar, run_init},
    {"new", "begin a plugin of your own: a folder with its source, a test and an experiment", new_grammar,
     run_new},
    {"diff", "compare two experiments or runs, value by value", diff_grammar, run_diff},
    {"runs", "list runs with what they came to, and delete what nobody needs", runs_grammar, run_runs},
    {"quality", "measure how good the images of runs are", quality_grammar, run_quality},
    {"report", "write a page about one run, or one that compares several", report_grammar, run_report},
    {"sample", "draw a grid of images from a run folder", sample_grammar, run_sample},
    {"export", "write the generator of a run as ONNX", export_grammar, run_export},
    {"checkpoint", "say what is in a checkpoint, and whether it is whole", checkpoint_grammar,
     run_checkpoint},
    {"plugins", "list the plugins, or describe one of them", plugins_grammar, run_plugins},
    {"schema", "print the JSON Schema of experiment files, for editors", schema_grammar, run_schema},
    {"completion", "print a script that completes command lines in bash or zsh", completion_grammar,
     run_completion},
    {"devices", "list the devices and the number formats that they compute", devices_grammar, run_devices},
};

void print_help() {
  std::cout << "Usage: halfling COMMAND [options]\n\n"
               "Trains GANs from experiment files, to measure what mixed precision buys.\n\nCommands:\n";
  std::vector<Row> rows;
  for (const Command& command : all_commands) {
    rows.push_back({std::string("  ") + command.name, command.summary});
  }
  std::cout
      << table(rows)
      << "\n`halfling COMMAND --help` says what a command takes; `halfling --version` what this is.\n"
         "Exit status: 0 done, 1 failed, 2 the experiment or the command line is wrong, 130 interrupted.\n";
}

void print_version() {
  const Build build = this_build();
  std::cout << "halfling " HALFLING_VERSION "\n"
            << "commit: " << build.commit_text() << "\n"
            << "built with: " << build.compiler << ", " << build.options << "\n"
            << "backends: " << fmt::format("{}", fmt::join(own_backends(), ", ")) << "\n"
            << "plugins must match: " HALFLING_FINGERPRINT "\n";
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : all_commands) {
    if (name == command.name) return command;
    known.emplace_back(command.name);
  }
  std::string hint = hint_for_command(name);
  if (!hint.empty()) hint += "; ";
  if (hint.empty() && !did_you_mean(name, known).empty()) hint = did_you_mean(name, known) + " ";
  throw Error({.what = "there is no such command",
               .got = name,
               .hint = hint + "see `halfling --help`",
               .kind = ErrorKind::usage});
}

int run(const Command& command, const Arguments& arguments) {
  const auto values = parse(command.grammar(), arguments);
  return values ? command.run(*values) : exit_done;
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    std::cerr << "halfling: which command? see `halfling --help`\n";
    return exit_usage;
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) return run(find_command(arguments[1]), {"--help"});
  if (first == "--help" || first == "-h" || first == "help") {
    print_help();
    return exit_done;
  }
  if (first == "--version" || first == "-V" || first == "version") {
    print_version();
    return exit_done;
  }
  return run(find_command(first), {arguments.begin() + 1, arguments.end()});
}

/// --format json asks for errors in that form, too, also where the command line is wrong otherwise.
bool json_asked(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--format=json" ||
        (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json"))
      return true;
  return false;
}

void print(const Error& error, const Arguments& arguments) {
  if (json_asked(arguments)) {
    std::cout << error_json(error) << std::endl;
    return;
  }
  // A diagnostic begins with its file, as compilers' do: editors jump there.
  if (!dynamic_cast<const DiagnosticsError*>(&error)) std::cerr << "halfling: ";
  std::cerr << printable_lines(error.what()) << "\n";
}

int guarded(const Arguments& arguments) {
  try {
    const int status = dispatch(arguments);
    errno = 0;
    std::cout.flush();
    // A reader that has gone, as `| head` does, has what it wanted.
    if (std::cout || errno == EPIPE) return status;
    std::cerr << "halfling: the result could not be written to standard output\n";
    return exit_failed;
  } catch (const Error& error) {
    print(error, arguments);
    return error.details().kind == ErrorKind::usage ? exit_usage : exit_failed;
  } catch (const std::bad_alloc&) {
    std::cerr << "halfling: memory ran out\n"
                 "  hint: lower input.batch_size; `halfling plan` tells how much is predicted to fit\n";
    return exit_failed;
  } catch (const std::exception& error) {
    std::cerr << "halfling: " << printable_lines(error.what()) << "\n";
    return exit_failed;
  }
}

/// A standard stream that came closed would give its number to the next file that is opened, and messages
/// would be written into that. In its place: one that cannot be written either.
void reserve_standard_streams() {
  int file = ::open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDONLY);
  if (file >= 0) ::close(file);
}

}  // namespace

std::span<const Command> commands() {
  return all_commands;
}

}  // namespace halfling::cli

int main(int count, char** arguments) {
  halfling::cli::reserve_standard_streams();
  halfling::ignore_write_signals();
  halfling::choose_wait_policy();
  halfling::usable_processors();  // counted before a plugin's library may bind this thread to one of them
  halfling::name_crashing_plugins();
  return halfling::cli::guarded({arguments + 1, arguments + count});
}
