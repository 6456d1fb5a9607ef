// SPDX-License-Identifier: Apache-2.0
// halfling init FILE
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <iostream>
#include <span>

#include "base/atomic_file.hpp"
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

/// "loss-scaler": the option that names a plugin of the kind.
std::string option_of(std::string kind) {
  std::ranges::replace(kind, '_', '-');
  return kind;
}

/// One line of a table: the setting, and what stands behind it.
struct Line {
  std::string setting;
  std::string comment;
};

/// A value of the right type for an option that has no default; what it must be instead, the comment says.
std::string placeholder(const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  const double least = std::isfinite(d.minimum) ? std::max(d.minimum, 0.0) : 0;
  switch (d.type) {
    case OptionType::boolean:
      return "false";
    case OptionType::integer:
      return fmt::format("{:.0f}", std::ceil(least));
    case OptionType::number:
      return fmt::format("{:#}", least);
    case OptionType::duration:
      return "\"1min\"";
    case OptionType::size:
      return "\"1MiB\"";
    case OptionType::string_list:
    case OptionType::number_list:
      return "[]";
    case OptionType::string:
    case OptionType::path:
      break;
  }
  return d.choices ? config::toml_string(config::choices_of(d).front()) : "\"\"";
}

Line line_of(const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  const std::string help = fmt::format("{}; {}", d.help, config::accepted(rule));
  if (d.default_toml) return {fmt::format("# {} = {}", d.name, d.default_toml), help};
  if (rule.optional) return {fmt::format("# {} =", d.name), help};
  return {fmt::format("{} = {}", d.name, placeholder(rule)), "required: " + help};
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
  if (table.plugins == config::Plugins::one) {
    const std::string kind = table.name;
    const std::string use =
        table.automatic ? config::automatic_use : values[option_of(kind)].as<std::string>();
    lines.push_back(
        {fmt::format("use = \"{}\"", use), fmt::format("{}", fmt::join(registry.names(kind), " | "))});
    if (!table.automatic) {
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

/// Lines with their comments below each other.
std::string aligned(const std::vector<Line>& lines) {
  std::string text;
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, std::min<std::size_t>(line.setting.size(), 40));
  for (const Line& line : lines) text += fmt::format("{:{}}  # {}\n", line.setting, width, line.comment);
  return text;
}

/// An element of a list for each plugin, none of them in use.
std::string elements_text(const config::CoreTable& table, const Registry& registry) {
  std::string text;
  for (const std::string& name : registry.names(table.name)) {
    const PluginDescriptor& plugin = *registry.get(table.name, name).descriptor;
    std::vector<Line> lines = {
        {fmt::format("# [[{}]]", table.name), "any number, in order; none unless written"},
        {fmt::format("# use = \"{}\"", name), plugin.summary}};
    for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count))
      lines.push_back(line_of({option}));
    for (const OptionRule& rule : table.options) lines.push_back(line_of(rule));
    for (Line& line : lines)
      if (!line.setting.starts_with("#")) line.setting.insert(0, "# ");
    text += "\n" + aligned(lines);
  }
  return text;
}

std::string document(const po::variables_map& values, const Registry& registry, const fs::path& file) {
  std::string text =
      "# Begun with `halfling init`. A line that begins with # shows a default: take the # away to change "
      "it.\n"
      "# `halfling plan` says what a run would need; `halfling run` runs it.\n";
  for (const config::CoreTable& table : config::core_tables()) {
    text += table.plugins == config::Plugins::list
                ? elements_text(table, registry)
                : fmt::format("\n[{}]\n{}", table.name, aligned(lines_of(table, values, registry, file)));
  }
  return text +
         "\n# [sweep.matrix]                       # a trial for every combination\n"
         "# \"precision.use\" = [\"fp32\", \"mixed\"]\n";
}

}  // namespace

Grammar init_grammar() {
  Grammar grammar{.synopsis = "init FILE [options]",
                  .description =
                      "Writes a commented experiment to start from: every option of the plugins that are\n"
                      "chosen, with its default and what it means. It never overwrites a file.",
                  .positional = {"file"}};
  for (const config::CoreTable& table : config::core_tables())
    if (table.usual)
      grammar.options.add_options()(option_of(table.name).c_str(),
                                    po::value<std::string>()->value_name("NAME")->default_value(table.usual),
                                    "plugin to begin with");
  add_plugin_path(grammar);
  return grammar;
}

int run_init(const Values& values) {
  const auto usage = [](std::string what, std::string where, std::string got, std::string hint) {
    return Error({.what = std::move(what),
                  .where = std::move(where),
                  .got = std::move(got),
                  .expected = {},
                  .hint = std::move(hint),
                  .kind = ErrorKind::usage});
  };
  if (values.count("file") == 0)
    throw usage("a file to write is missing", "", "", "halfling init my-experiment.toml");
  const fs::path file = values["file"].as<std::string>();
  const Registry registry = Registry::scan(plugin_path(values));
  const std::string text = document(values, registry, file);
  std::error_code none;
  if (fs::exists(file, none))
    throw usage("the file is there already", file.string(), "", "choose another name");
  AtomicFile output(file);  // half a file would be in the way of the next try
  output.write(text);
  output.commit();
  std::cout << file.string() << "\n";
  return exit_done;
}

}  // namespace halfling::cli
