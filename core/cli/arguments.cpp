// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>

#include "cli/command.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "plugin/suggest.hpp"

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

// "did you mean --set?", for "--sett=x".
std::string nearest_option(const Grammar& grammar, const std::string& given) {
  std::vector<std::string> known;
  for (const auto& option : grammar.options.options()) known.push_back(option->long_name());
  const std::size_t begin = given.find_first_not_of('-');
  const std::string word = begin == std::string::npos ? "" : given.substr(begin, given.find('=') - begin);
  const std::string nearest = suggest(word, known);
  return nearest.empty() ? "" : "did you mean --" + nearest + "?";
}

po::variables_map parse_values(const Grammar& grammar, const po::options_description& all,
                               const Arguments& arguments) {
  po::positional_options_description positions;
  for (const std::string& name : grammar.positional) positions.add(name.c_str(), 1);
  if (!grammar.repeated.empty()) positions.add(grammar.repeated.c_str(), -1);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(po::command_line_parser(arguments).options(all).positional(positions).style(style).run(), values);
  return values;
}

}  // namespace

namespace {
std::optional<Grammar>* asked_grammar = nullptr;  // set while grammar_of runs a command
}

Grammar grammar_of(const Command& command) {
  std::optional<Grammar> grammar;
  asked_grammar = &grammar;
  command.run({});
  asked_grammar = nullptr;
  return std::move(grammar).value();
}

std::optional<po::variables_map> parse(const Grammar& grammar, const Arguments& arguments) {
  if (asked_grammar) {
    asked_grammar->emplace(grammar);
    return std::nullopt;
  }
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
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
                      nearest_option(grammar, error.get_option_name()));
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
  std::vector<std::string> notes;
  for (const Refusal& refusal : registry.refusals()) {
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
