// SPDX-License-Identifier: Apache-2.0
// halfling plugins, halfling plugins describe NAME
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "experiment/value.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

using nlohmann::json;

const char* name_of(OptionType type) {
  switch (type) {
    case OptionType::boolean:
      return "boolean";
    case OptionType::integer:
      return "integer";
    case OptionType::number:
      return "number";
    case OptionType::string:
      return "string";
    case OptionType::path:
      return "path";
    case OptionType::duration:
      return "duration";
    case OptionType::size:
      return "size";
    case OptionType::string_list:
      return "list of strings";
    case OptionType::number_list:
      return "list of numbers";
  }
  return "unknown";
}

std::string accepted(const OptionDeclaration& option) {
  if (option.choices != nullptr) return option.choices;
  const bool low = std::isfinite(option.minimum);
  const bool high = std::isfinite(option.maximum);
  if (low && high) return fmt::format("{:.10g} to {:.10g}", option.minimum, option.maximum);
  if (low) return fmt::format("{:.10g} or more", option.minimum);
  return high ? fmt::format("{:.10g} or less", option.maximum) : "";
}

json as_json(const OptionDeclaration& option) {
  json result = {{"name", option.name}, {"type", name_of(option.type)}, {"help", option.help}};
  if (option.unit != nullptr && *option.unit != '\0') result["unit"] = option.unit;
  if (option.default_toml != nullptr) result["default"] = option.default_toml;
  result["required"] = option.default_toml == nullptr;
  if (std::isfinite(option.minimum)) result["minimum"] = option.minimum;
  if (std::isfinite(option.maximum)) result["maximum"] = option.maximum;
  if (option.choices != nullptr) result["choices"] = config::choices_of(option);
  return result;
}

json as_json(const Plugin& plugin) {
  const PluginDescriptor& d = *plugin.descriptor;
  return {{"kind", d.kind},
          {"name", d.name},
          {"version", d.version},
          {"summary", d.summary},
          {"file", plugin.file.string()}};
}

json as_json(const Refusal& refusal) {
  json result = {{"file", refusal.file.string()}, {"reason", refusal.reason.what}};
  if (!refusal.name.empty()) result["plugin"] = refusal.kind + "/" + refusal.name;
  if (!refusal.reason.got.empty()) result["got"] = refusal.reason.got;
  if (!refusal.reason.expected.empty()) result["expected"] = refusal.reason.expected;
  if (!refusal.reason.hint.empty()) result["hint"] = refusal.reason.hint;
  return result;
}

void list_json(const Registry& registry) {
  json result = {{"plugins", json::array()}, {"refusals", json::array()}, {"not_built", json::array()}};
  for (const Plugin& plugin : registry.plugins()) result["plugins"].push_back(as_json(plugin));
  for (const Refusal& refusal : registry.refusals()) result["refusals"].push_back(as_json(refusal));
  for (const Unbuilt& plugin : registry.unbuilt())
    result["not_built"].push_back(
        {{"kind", plugin.kind}, {"name", plugin.name}, {"lacking", plugin.lacking}});
  std::cout << json_text(result, 2) << "\n";
}

/// Without `all`, no more than fit a screen.
void list_refusals(const std::vector<Refusal>& refusals, bool all) {
  if (refusals.empty()) return;
  const std::size_t shown = all ? refusals.size() : std::min<std::size_t>(refusals.size(), 10);
  std::cout << "\nRefused:\n";
  for (std::size_t i = 0; i < shown; ++i) std::cout << printable_lines(format(refusals[i].reason)) << "\n";
  if (shown < refusals.size())
    std::cout << "... and " << refusals.size() - shown << " more, which --verbose lists\n";
}

void list_text(const Registry& registry, bool with_files) {
  std::vector<Row> rows = {{"KIND", "NAME", "VERSION", "SUMMARY"}};
  if (with_files) rows[0].emplace_back("FILE");
  for (const Plugin& plugin : registry.plugins()) {
    const PluginDescriptor& d = *plugin.descriptor;
    rows.push_back({d.kind, d.name, d.version, d.summary});
    if (with_files) rows.back().push_back(plugin.file.string());
  }
  using How = Narrowing::How;
  std::cout << table(std::move(rows), output_width(),
                     {{"VERSION", How::drop},
                      {"SUMMARY", How::cut_end, 24},
                      {"FILE", How::cut_begin, 24},
                      {"SUMMARY", How::drop}});
  if (registry.plugins().empty()) std::cout << "No plugins were found.\n";
  for (const Unbuilt& plugin : registry.unbuilt())
    std::cout << printable(fmt::format("not built: {} {}, {}", plugin.kind, plugin.name, plugin.lacking))
              << "\n";
  list_refusals(registry.refusals(), with_files);
}

// By "KIND/NAME", or by NAME alone where only one kind has it.
const Plugin& named(const Registry& registry, const std::string& word) {
  if (const std::size_t slash = word.find('/'); slash != std::string::npos) {
    return registry.get(word.substr(0, slash), word.substr(slash + 1));
  }
  std::vector<const Plugin*> found;
  std::vector<std::string> known;
  for (const Plugin& plugin : registry.plugins()) {
    if (word == plugin.descriptor->name) found.push_back(&plugin);
    known.emplace_back(plugin.descriptor->name);
  }
  if (found.size() == 1) return *found[0];
  if (found.empty()) {
    for (const Unbuilt& plugin : registry.unbuilt())
      if (plugin.name == word) registry.get(plugin.kind, word);  // says what it lacks
    const std::string nearest = did_you_mean(word, known);
    const std::string refused = registry.missing_hint("", word);
    throw Error({.what = "there is no plugin of this name",
                 .got = word,
                 .hint = nearest + (nearest.empty() || refused.empty() ? "" : "; ") + refused,
                 .kind = ErrorKind::usage});
  }
  std::string kinds;
  for (const Plugin* plugin : found) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(plugin->descriptor->kind) + "/" + word;
  }
  throw Error({.what = "several kinds have a plugin of this name",
               .got = word,
               .expected = "one of " + kinds,
               .kind = ErrorKind::usage});
}

void describe_json(const Plugin& plugin) {
  json result = as_json(plugin);
  result["options"] = json::array();
  for (std::size_t i = 0; i < plugin.descriptor->option_count; ++i) {
    result["options"].push_back(as_json(plugin.descriptor->options[i]));
  }
  std::cout << json_text(result, 2) << "\n";
}

void describe_text(const Plugin& plugin) {
  const PluginDescriptor& d = *plugin.descriptor;
  std::cout << d.kind << "/" << d.name << " " << d.version << ": " << printable(d.summary) << "\n"
            << plugin.file.string() << "\n\n";
  if (d.option_count == 0) {
    std::cout << "It has no options.\n";
    return;
  }
  bool units = false;
  std::vector<Row> rows = {{"OPTION", "TYPE", "UNIT", "DEFAULT", "ACCEPTS", "MEANING"}};
  for (std::size_t i = 0; i < d.option_count; ++i) {
    const OptionDeclaration& option = d.options[i];
    units = units || (option.unit != nullptr && *option.unit != '\0');
    rows.push_back({option.name, name_of(option.type), option.unit == nullptr ? "" : option.unit,
                    option.default_toml == nullptr ? "required" : option.default_toml, accepted(option),
                    option.help});
  }
  using How = Narrowing::How;
  std::vector<Narrowing> steps = {{"MEANING", How::fold, 24}, {"ACCEPTS", How::cut_end}, {"TYPE", How::drop}};
  if (!units) steps.insert(steps.begin(), {"UNIT", How::drop});
  std::cout << table(std::move(rows), output_width(), steps);
}

}  // namespace

Grammar plugins_grammar() {
  Grammar grammar{.synopsis = "plugins [describe NAME | describe KIND/NAME] [options]",
                  .description =
                      "Lists the plugins found and the files refused, with the reason.\n"
                      "With describe: the options of one plugin, as experiment files take them.",
                  .positional = {"verb", "name"}};
  grammar.options.add_options()("verbose", boost::program_options::bool_switch(),
                                "list the files too, and every file refused");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_plugins(const Values& values) {
  const bool json_wanted = wants_json(values);
  const Registry registry = Registry::scan(plugin_path(values));
  if (values.count("verb") == 0) {
    json_wanted ? list_json(registry) : list_text(registry, values["verbose"].as<bool>());
    return exit_done;
  }
  if (values["verb"].as<std::string>() != "describe" || values.count("name") == 0) {
    throw Error({.what = "plugins does not take these arguments",
                 .expected = "`halfling plugins` or `halfling plugins describe NAME`",
                 .kind = ErrorKind::usage});
  }
  const Plugin& plugin = named(registry, values["name"].as<std::string>());
  json_wanted ? describe_json(plugin) : describe_text(plugin);
  return exit_done;
}

}  // namespace halfling::cli
