// SPDX-License-Identifier: Apache-2.0
// halfling plugins, halfling plugins describe NAME, halfling plugins check FILE, halfling plugins path
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/plugin_check.hpp"
#include "cli/plugin_description.hpp"
#include "cli/plugin_path.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

using nlohmann::json;

void list_json(const Registry& registry, const std::vector<SearchedFolder>& folders) {
  json result = {{"plugins", json::array()}, {"refusals", json::array()}, {"not_built", json::array()}};
  for (const Plugin& plugin : registry.plugins()) result["plugins"].push_back(as_json(plugin));
  for (const Refusal& refusal : registry.refusals()) result["refusals"].push_back(as_json(refusal));
  for (const Unbuilt& plugin : registry.unbuilt())
    result["not_built"].push_back(
        {{"kind", plugin.kind}, {"name", plugin.name}, {"lacking", plugin.lacking}});
  result["folders"] = folders_json(folders);
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

void list_text(const Registry& registry, const std::vector<SearchedFolder>& folders, bool with_files) {
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
  std::cout << "\n" << folders_text(folders);
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
  result["options"] = options_json(*plugin.descriptor);
  std::cout << json_text(result, 2) << "\n";
}

void describe_text(const Plugin& plugin) {
  const PluginDescriptor& d = *plugin.descriptor;
  std::cout << d.kind << "/" << d.name << " " << d.version << ": " << printable(d.summary) << "\n"
            << plugin.file.string() << "\n\n"
            << options_text(d);
}

}  // namespace

Grammar plugins_grammar() {
  Grammar grammar{
      .synopsis = "plugins [describe NAME | check FILE | path [add|remove FOLDER]] [options]",
      .description =
          "Lists the plugins found and the files refused, with the reason.\n"
          "With describe: the options of one plugin (NAME or KIND/NAME), as experiment files take "
          "them.\n"
          "With check: whether a plugin's file would be taken, and why not; exit status 1 if not.\n"
          "With path: the folders that are searched, and who named each; add and remove change those "
          "of\nthe user's configuration ($XDG_CONFIG_HOME/halfling/config.toml, else ~/.config).",
      .positional = {"verb", "name", "folder"}};
  grammar.options.add_options()("verbose", boost::program_options::bool_switch(),
                                "list the files too, and every file refused");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_plugins(const Values& values) {
  const bool json_wanted = wants_json(values);
  const std::string verb = values.count("verb") ? values["verb"].as<std::string>() : "";
  const std::string name = values.count("name") ? values["name"].as<std::string>() : "";
  const std::string folder = values.count("folder") ? values["folder"].as<std::string>() : "";
  if (verb == "path" && (name.empty() || !folder.empty())) {
    if (!name.empty()) change_plugin_path(name, folder);
    return list_plugin_path(plugin_path(values), json_wanted);
  }
  if (verb == "check" && !name.empty() && folder.empty())
    return check_plugin(name, plugin_path(values), json_wanted);
  if (!verb.empty() && (verb != "describe" || name.empty() || !folder.empty())) {
    throw Error({.what = "plugins does not take these arguments",
                 .expected =
                     "`halfling plugins`, `halfling plugins describe NAME`, `halfling plugins check FILE` "
                     "or `halfling plugins path [add|remove FOLDER]`",
                 .kind = ErrorKind::usage});
  }
  const std::vector<SearchedFolder> folders = searched_folders(plugin_path(values));
  const Registry registry = Registry::scan(plugin_path(values));
  if (verb.empty()) {
    json_wanted ? list_json(registry, folders) : list_text(registry, folders, values["verbose"].as<bool>());
    return exit_done;
  }
  const Plugin& plugin = named(registry, name);
  json_wanted ? describe_json(plugin) : describe_text(plugin);
  return exit_done;
}

}  // namespace halfling::cli
