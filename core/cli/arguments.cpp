// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>

#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/guesses.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

namespace po = boost::program_options;

void print_help(const Grammar& grammar) {
  std::cout << "Usage: halfling " << grammar.synopsis << "\n";
  if (!grammar.description.empty()) std::cout << "\n" << grammar.description << "\n";
  std::cout << "\n" << grammar.options;
}

Error usage_error(const Grammar& grammar, std::string what, std::string got, std::string hint) {
  const std::string command = grammar.synopsis.substr(0, grammar.synopsis.find(' '));
  const std::string help = "see `halfling " + command + " --help`";
  return Error({.what = std::move(what),
                .got = std::move(got),
                .hint = hint.empty() ? help : hint + " " + help,
                .kind = ErrorKind::usage});
}

// "did you mean --set?", for "--sett=x"; "did you mean --set experiment.seed=VALUE?", for "--seed".
std::string option_meant(const Grammar& grammar, const std::string& given) {
  const std::size_t begin = given.find_first_not_of('-');
  const std::string word = begin == std::string::npos ? "" : given.substr(begin, given.find('=') - begin);
  std::string meant = hint_for_option(word, grammar.options.find_nothrow("set", false) != nullptr);
  if (meant.empty()) {
    std::vector<std::string> known;
    for (const auto& option : grammar.options.options()) known.push_back(option->long_name());
    meant = suggest(word, known);
    if (!meant.empty()) meant = "--" + meant;
  }
  if (!meant.starts_with("--")) return meant.empty() ? "" : meant + ";";
  return "did you mean " + meant + "?";
}

/// Dashes in the names of options may be typed as underscores: --loss_scaler.
Arguments with_dashes(Arguments arguments) {
  for (std::string& word : arguments)
    if (word.starts_with("--"))
      std::replace(word.begin(),
                   word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_',
                   '-');
  return arguments;
}

po::variables_map parse_values(const Grammar& grammar, const po::options_description& all,
                               const Arguments& arguments) {
  po::positional_options_description positions;
  for (const std::string& name : grammar.positional) positions.add(name.c_str(), 1);
  if (!grammar.repeated.empty()) positions.add(grammar.repeated.c_str(), -1);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(
      po::command_line_parser(with_dashes(arguments)).options(all).positional(positions).style(style).run(),
      values);
  return values;
}

}  // namespace

std::optional<po::variables_map> parse(const Grammar& grammar, const Arguments& arguments) {
  if (std::ranges::find(arguments, "--help") != arguments.end() ||
      std::ranges::find(arguments, "-h") != arguments.end()) {
    print_help(grammar);
    return std::nullopt;
  }
  po::options_description all;
  all.add(grammar.options);
  for (const std::string& name : grammar.positional)
    all.add_options()(name.c_str(), po::value<std::string>());
  if (!grammar.repeated.empty()) all.add_options()(grammar.repeated.c_str(), po::value<Arguments>());
  try {
    po::variables_map values = parse_values(grammar, all, arguments);
    po::notify(values);
    return values;
  } catch (const po::unknown_option& error) {
    throw usage_error(grammar, "unknown option", error.get_option_name(),
                      option_meant(grammar, error.get_option_name()));
  } catch (const po::too_many_positional_options_error&) {
    throw usage_error(grammar, "there are more arguments than the command takes", "", "");
  } catch (const po::error& error) {
    throw usage_error(grammar, error.what(), "", "");
  }
}

void add_plugin_path(Grammar& grammar) {
  grammar.options.add_options()("plugin-path", po::value<Arguments>()->value_name("DIR"),
                                "look for plugins here first; may be given several times");
}

std::vector<std::filesystem::path> plugin_path(const po::variables_map& values) {
  if (values.count("plugin-path") == 0) return {};
  const auto& folders = values["plugin-path"].as<Arguments>();
  return {folders.begin(), folders.end()};
}

std::vector<std::string> refusal_notes(const Registry& registry) {
  constexpr std::size_t most_notes = 5;  // more would hide what else is said
  const std::vector<Refusal>& refusals = registry.refusals();
  if (refusals.size() > most_notes)
    return {"note: " + std::to_string(refusals.size()) + " plugin files were passed over, the first is " +
            refusals.front().file.string() + ": " + refusals.front().reason.what +
            "; `halfling plugins --verbose` lists them"};
  std::vector<std::string> notes;
  for (const Refusal& refusal : refusals) {
    notes.push_back("note: plugin file " + refusal.file.string() +
                    " was passed over: " + refusal.reason.what);
    if (!refusal.reason.got.empty()) notes.back() += ", " + refusal.reason.got;
  }
  return notes;
}

void add_format(Grammar& grammar) {
  grammar.options.add_options()("format",
                                po::value<std::string>()->value_name("text|json")->default_value("text"),
                                "how the result is written");
}

bool wants_json(const po::variables_map& values) {
  const auto& format = values["format"].as<std::string>();
  if (format == "json" || format == "text") return format == "json";
  throw Error({.what = "--format does not know this",
               .got = format,
               .expected = "text or json",
               .kind = ErrorKind::usage});
}

}  // namespace halfling::cli
