// SPDX-License-Identifier: Apache-2.0
// halfling completion bash|zsh
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "cli/command.hpp"
#include "cli/completion_scripts.hpp"
#include "cli/shell_word.hpp"
#include "experiment/keys.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

std::string print_all(const std::vector<std::string>& words) {
  std::string result = R"(printf '%s\n')";
  for (const std::string& word : words) result += " " + shell_word(word);
  return result;
}

/// A shell function that prints what belongs to its first argument.
class Lookup {
 public:
  explicit Lookup(const std::string& name) : text_(name + "() {\n  case $1 in\n") {}
  void add(const std::string& of, const std::vector<std::string>& words) {
    text_ += fmt::format("    {}) {} ;;\n", shell_word(of), print_all(words));
  }
  std::string text() const { return text_ + "  esac\n}\n"; }

 private:
  std::string text_;
};

/// What completes the value of an option: words, or a name that the scripts know. Empty: the option takes
/// none.
std::vector<std::string> kind_of(const boost::program_options::option_description& option,
                                 const Registry& registry) {
  if (option.semantic()->max_tokens() == 0) return {};
  std::string kind = option.long_name();
  std::ranges::replace(kind, '-', '_');
  if (const auto plugins = registry.names(kind); !plugins.empty()) return plugins;
  std::string name = option.semantic()->name();  // "text|json (=text)"
  name = name.substr(0, name.find(" ("));
  if (name == "KEY=VALUE") return {"<settings>"};
  if (name == "DIR") return {"<folders>"};
  if (name == "FILE") return {"<files>"};
  if (name.find('|') == std::string::npos) return {"<anything>"};
  std::vector<std::string> words(1);
  for (const char c : name) c == '|' ? words.emplace_back() : words.back() += c;
  return words;
}

std::vector<std::string> kind_of(const std::string& positional) {
  if (positional == "key") return {"<keys>"};
  if (positional == "verb") return {"describe", "check", "path"};
  if (positional == "folder") return {"<folders>"};
  if (positional == "name") return {"<plugins>"};
  if (positional == "kind") return new_kinds();
  if (positional == "project") return {"<anything>"};
  if (positional == "shell") return {"bash", "zsh"};
  return {"<files>"};
}

std::string options_and_values(const Registry& registry) {
  Lookup options("_halfling_options"), takes("_halfling_takes");
  for (const Command& command : commands()) {
    const Grammar grammar = command.grammar();
    std::vector<std::string> names;
    for (const auto& option : grammar.options.options()) {
      names.push_back("--" + option->long_name());
      const auto kind = kind_of(*option, registry);
      if (!kind.empty()) takes.add(fmt::format("{} {}", command.name, names.back()), kind);
    }
    names.emplace_back("--help");
    options.add(command.name, names);
    for (std::size_t i = 0; i < grammar.positional.size(); ++i)
      takes.add(fmt::format("{} {}", command.name, i + 1), kind_of(grammar.positional[i]));
    // Enough for a command line that a person types.
    for (std::size_t i = grammar.positional.size(); !grammar.repeated.empty() && i < 20; ++i)
      takes.add(fmt::format("{} {}", command.name, i + 1), kind_of(grammar.repeated));
  }
  return options.text() + takes.text();
}

std::string commands_function() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  names.insert(names.end(), {"--help", "--version"});
  return fmt::format("_halfling_commands() {{\n  {}\n}}\n", print_all(names));
}

std::string experiment_functions(const Registry& registry) {
  std::vector<std::string> names, plugins;
  Lookup choices("_halfling_choices");
  for (const KnownKey& key : known_keys(registry)) {
    names.push_back(key.name);
    if (!key.choices.empty()) choices.add(key.name, key.choices);
  }
  for (const Plugin& plugin : registry.plugins()) {
    plugins.emplace_back(plugin.descriptor->name);
    plugins.push_back(fmt::format("{}/{}", plugin.descriptor->kind, plugin.descriptor->name));
  }
  return fmt::format("_halfling_keys() {{\n  {}\n}}\n_halfling_plugins() {{\n  {}\n}}\n{}", print_all(names),
                     print_all(plugins), choices.text());
}

}  // namespace

Grammar completion_grammar() {
  Grammar grammar{
      .synopsis = "completion bash|zsh [options]",
      .description =
          "Prints a script that completes commands, options, keys and plugins in a shell. In bash,\n"
          "`source <(halfling completion bash)`; in zsh, after compinit, the same with zsh.",
      .positional = {"shell"}};
  add_plugin_path(grammar);
  return grammar;
}

int run_completion(const Values& values) {
  const std::string shell = values.count("shell") ? values["shell"].as<std::string>() : "";
  if (shell != "bash" && shell != "zsh")
    throw Error({.what = "completion is not made for this shell",
                 .got = shell,
                 .expected = "bash or zsh",
                 .kind = ErrorKind::usage});
  const Registry registry = Registry::scan(plugin_path(values));
  if (shell == "zsh") std::cout << "#compdef halfling\n";
  std::cout << "# Completion of halfling " HALFLING_VERSION ", made by `halfling completion " << shell
            << "`.\n"
            << commands_function() << options_and_values(registry) << experiment_functions(registry)
            << common_script << (shell == "bash" ? bash_script : zsh_script);
  return exit_done;
}

}  // namespace halfling::cli
