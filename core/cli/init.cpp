// SPDX-License-Identifier: Apache-2.0
// halfling init FILE
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <span>

#include "cli/command.hpp"
#include "experiment/core_tables.hpp"
#include "experiment/value.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using config::OptionRule;

Grammar init_grammar() {
  Grammar grammar{.synopsis = "init FILE [options]",
                  .description =
                      "Writes a commented experiment to start from: every option of the plugins that are\n"
                      "chosen, with its default and what it means. It never overwrites a file.",
                  .positional = {"file"}};
  const auto add = [&](const char* kind, const char* usual) {
    grammar.options.add_options()(kind, po::value<std::string>()->value_name("NAME")->default_value(usual),
                                  "plugin to begin with");
  };
  add("architecture", "acgan");
  add("dataset", "synthetic");
  add("precision", "mixed");
  add("loss_scaler", "dynamic");
  add("optimizer", "adam");
  add_plugin_path(grammar);
  return grammar;
}

/// One line of a table: the setting, and what stands behind it.
struct Line {
  std::string setting;
  std::string comment;
};

Line line_of(const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  const std::string help = fmt::format("{}; {}", d.help, config::accepted(rule));
  if (d.default_toml) return {fmt::format("# {} = {}", d.name, d.default_toml), help};
  if (rule.optional) return {fmt::format("# {} =", d.name), help};
  const bool text = d.type == OptionType::string || d.type == OptionType::path;
  return {fmt::format("{} = {}", d.name, text ? "\"\"" : "0"), "required: " + help};
}

/// The file's name as an experiment's.
std::string name_of(const fs::path& file) {
  std::string name = file.stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '-';
  return name;
}

/// What a new experiment sets, instead of showing the default.
std::string set_line(std::string_view table, std::string_view key, const fs::path& file) {
  if (table == "experiment" && key == "name") return fmt::format("name = \"{}\"", name_of(file));
  if (table == "budget" && key == "time") return "time = \"1min\"";
  return {};
}

std::vector<Line> lines_of(const config::CoreTable& table, const po::variables_map& values,
                           const Registry& registry, const fs::path& file) {
  std::vector<Line> lines;
  if (table.component) {
    const std::string kind = table.name;
    const bool automatic = kind == "backend";
    const std::string use = automatic ? "auto" : values[kind].as<std::string>();
    lines.push_back(
        {fmt::format("use = \"{}\"", use), fmt::format("{}", fmt::join(registry.names(kind), " | "))});
    if (!automatic) {
      const PluginDescriptor& plugin = *registry.get(kind, use).descriptor;
      for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count))
        lines.push_back(line_of({option}));
    }
  }
  for (const OptionRule& rule : table.options) {
    lines.push_back(line_of(rule));
    const std::string set = set_line(table.name, rule.declaration.name, file);
    if (!set.empty()) lines.back() = {set, rule.declaration.help};
  }
  return lines;
}

std::string document(const po::variables_map& values, const Registry& registry, const fs::path& file) {
  std::string text =
      "# Begun with `halfling init`. A line that begins with # shows a default: take the # away to change "
      "it.\n"
      "# `halfling plan` says what a run would need; `halfling run` runs it.\n";
  for (const config::CoreTable& table : config::core_tables()) {
    text += fmt::format("\n[{}]\n", table.name);
    const std::vector<Line> lines = lines_of(table, values, registry, file);
    std::size_t width = 0;
    for (const Line& line : lines) width = std::max(width, std::min<std::size_t>(line.setting.size(), 40));
    for (const Line& line : lines) text += fmt::format("{:{}}  # {}\n", line.setting, width, line.comment);
  }
  return text +
         "\n# [sweep.matrix]                       # a trial for every combination\n"
         "# \"precision.use\" = [\"fp32\", \"mixed\"]\n";
}

}  // namespace

int run_init(const Arguments& arguments) {
  const auto values = parse(init_grammar(), arguments);
  if (!values) return exit_done;
  const auto usage = [](std::string what, std::string where, std::string got, std::string hint) {
    return Error({.what = std::move(what),
                  .where = std::move(where),
                  .got = std::move(got),
                  .expected = {},
                  .hint = std::move(hint),
                  .kind = ErrorKind::usage});
  };
  if (values->count("file") == 0)
    throw usage("a file to write is missing", "", "", "halfling init my-experiment.toml");
  const fs::path file = (*values)["file"].as<std::string>();
  const Registry registry = Registry::scan(plugin_path(*values));
  const std::string text = document(*values, registry, file);
  std::error_code none;
  if (fs::exists(file, none))
    throw usage("the file is there already", file.string(), "", "choose another name");
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw usage("the file cannot be written", file.string(), std::strerror(errno), "");
  std::cout << file.string() << "\n";
  return exit_done;
}

}  // namespace halfling::cli
