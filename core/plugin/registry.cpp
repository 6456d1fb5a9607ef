// SPDX-License-Identifier: Apache-2.0
#include "plugin/registry.hpp"

#define BOOST_DLL_USE_STD_FS
#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <tuple>
#include <unordered_set>

#include "base/suggest.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/elf.hpp"
#include "plugin/loading_error.hpp"
#include "plugin/probe.hpp"
#include "plugin/search_path.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

// Loads a library for the life of the process: its objects, threads and exception types must not lose their
// code.
const boost::dll::shared_library& load(const fs::path& file) {
  static auto& loaded = *new std::vector<std::unique_ptr<boost::dll::shared_library>>;
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  loaded.push_back(std::make_unique<boost::dll::shared_library>(file, rtld_now | rtld_local));
  return *loaded.back();
}

std::string identity(const Plugin& plugin) {
  return std::string(plugin.descriptor->kind) + "/" + plugin.descriptor->name;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

auto order(const Plugin& plugin) {
  return std::make_tuple(std::string_view(plugin.descriptor->kind),
                         std::string_view(plugin.descriptor->name));
}

void refuse_duplicates(const std::vector<Plugin>& sorted) {
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end(),
                                       [](const Plugin& a, const Plugin& b) { return order(a) == order(b); });
  if (twin == sorted.end()) return;
  throw Error({.what = "two plugins are called " + identity(*twin),
               .where = twin->file.string() + "\n         " + std::next(twin)->file.string(),
               .hint = "rename or remove one, or leave its folder out of the search path",
               .kind = ErrorKind::usage});
}

}  // namespace

Registry Registry::scan(const std::vector<fs::path>& extra) {
  return scan_only(plugin_search_path(extra));
}

Registry Registry::scan_only(const std::vector<fs::path>& folders) {
  Registry registry;
  std::vector<fs::path> files;
  std::unordered_set<std::string> seen;  // the same file reached by two ways is one plugin
  for (const fs::path& folder : folders) {
    registry.folders_.push_back(folder);
    for (const fs::path& file : plugin_candidates(folder)) {
      std::error_code error;
      const fs::path real = fs::canonical(file, error);
      if (error) {
        registry.refusals_.push_back(
            {file, {.what = "the link leads to no file", .where = file.string(), .got = error.message()}});
        continue;
      }
      if (seen.insert(real.string()).second) files.push_back(real);
    }
  }
  registry.add_all(files);
  std::sort(registry.plugins_.begin(), registry.plugins_.end(),
            [](const Plugin& a, const Plugin& b) { return order(a) < order(b); });
  refuse_duplicates(registry.plugins_);
  registry.read_unbuilt();
  return registry;
}

Registry Registry::scan_file(const fs::path& file) {
  Registry registry;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (!error && fs::is_regular_file(real))
    registry.add_all({real});
  else
    registry.refusals_.push_back({file,
                                  {.what = error ? "the file cannot be found" : "this is no file",
                                   .where = file.string(),
                                   .got = error ? error.message() : ""}});
  return registry;
}

void Registry::add_all(const std::vector<fs::path>& files) {
  std::map<fs::path, ErrorDetails> defects;
  std::vector<fs::path> libraries;
  for (const fs::path& file : files) {
    if (auto defect = shared_library_defect(file))
      defects.emplace(file, std::move(*defect));
    else
      libraries.push_back(file);
  }
  defects.merge(deadly_libraries(libraries));
  for (const fs::path& file : files) {
    const auto defect = defects.find(file);
    if (defect == defects.end())
      add(file);
    else
      refuse(file, std::move(defect->second));
  }
}

void Registry::refuse(const fs::path& file, ErrorDetails reason, std::string kind, std::string name) {
  reason.where = file.string();
  refusals_.push_back({file, std::move(reason), std::move(kind), std::move(name)});
}

void Registry::add(const fs::path& file) {
  const CallInProgress in_progress({file.c_str(), nullptr, nullptr, "loading it"});
  try {
    const boost::dll::shared_library& library = load(file);
    if (!library.has("halfling_plugin")) {
      return refuse(
          file, {.what = "the file has no symbol halfling_plugin",
                 .hint = "define it with HALFLING_PLUGIN; libraries that are no plugins belong elsewhere"});
    }
    const auto& descriptor = library.get<const PluginDescriptor>("halfling_plugin");
    auto defect = descriptor_defect(descriptor);
    if (!defect) {
      plugins_.push_back({&descriptor, file});
    } else if (is_readable(descriptor)) {
      refuse(file, std::move(*defect), descriptor.kind, descriptor.name);
    } else {
      refuse(file, std::move(*defect));
    }
  } catch (const std::system_error& error) {
    refuse(file, loading_error(error.what()));
  }
}

/// A line of the record is "KIND NAME what it lacks". What was found all the same is not missing.
void Registry::read_unbuilt() {
  for (const fs::path& folder : folders_) {
    std::ifstream record(folder / "optional-plugins.txt");
    for (std::string line; std::getline(record, line);) {
      std::istringstream words(line);
      Unbuilt plugin;
      words >> plugin.kind >> plugin.name >> std::ws;
      std::getline(words, plugin.lacking);
      if (!plugin.name.empty() && !find(plugin.kind, plugin.name)) unbuilt_.push_back(std::move(plugin));
    }
  }
}

const Plugin* Registry::find(std::string_view kind, std::string_view name) const {
  const auto found = std::find_if(plugins_.begin(), plugins_.end(), [&](const Plugin& plugin) {
    return plugin.descriptor->kind == kind && plugin.descriptor->name == name;
  });
  return found == plugins_.end() ? nullptr : &*found;
}

const Plugin& Registry::get(std::string_view kind, std::string_view name) const {
  if (const Plugin* plugin = find(kind, name)) return *plugin;
  const std::vector<std::string> known = names(kind);
  std::string hint = did_you_mean(name, known);
  const std::string refused = missing_hint(kind, name);
  if (!refused.empty()) hint += (hint.empty() ? "" : "; ") + refused;
  if (const std::string lacking = not_built(kind, name); !lacking.empty())
    throw Error({.what = "the " + std::string(kind) + " plugin of this name was not built",
                 .got = "\"" + std::string(name) + "\"",
                 .expected = "one of " + joined(known),
                 .hint = lacking,
                 .kind = ErrorKind::usage});
  throw Error({.what = "there is no " + std::string(kind) + " plugin of this name",
               .got = "\"" + std::string(name) + "\"",
               .expected = known.empty() ? "no such plugin was found at all" : "one of " + joined(known),
               .hint = std::move(hint),
               .kind = ErrorKind::usage});
}

std::vector<std::string> Registry::names(std::string_view kind) const {
  std::vector<std::string> result;
  for (const Plugin& plugin : plugins_) {
    if (plugin.descriptor->kind == kind) result.emplace_back(plugin.descriptor->name);
  }
  return result;
}

const PluginDescriptor* Registry::descriptor(std::string_view kind, std::string_view name) const {
  const Plugin* plugin = find(kind, name);
  return plugin == nullptr ? nullptr : plugin->descriptor;
}

std::string Registry::not_built(std::string_view kind, std::string_view name) const {
  const auto found = std::ranges::find_if(
      unbuilt_, [&](const Unbuilt& plugin) { return plugin.kind == kind && plugin.name == name; });
  return found == unbuilt_.end() ? "" : found->lacking;
}

std::string Registry::missing_hint(std::string_view kind, std::string_view name) const {
  for (const Refusal& refusal : refusals_) {
    const bool claimed = refusal.kind == kind && refusal.name == name;
    const bool named = refusal.name.empty() && refusal.file.stem().string().find(name) != std::string::npos;
    if (claimed || named) return refusal.file.string() + " was refused: " + refusal.reason.what;
  }
  if (plugins_.empty())
    return "no plugins were found in " + folders_text() + "; name theirs with --plugin-path DIR";
  const bool misspelt = !did_you_mean(name, names(kind)).empty();
  if (refusals_.empty())
    return misspelt ? "" : "the folder of a plugin of your own is given with --plugin-path DIR";
  const std::size_t count = refusals_.size();
  const char* were = count == 1 ? " plugin file was" : " plugin files were";
  return std::to_string(count) + were + " refused, see `halfling plugins`";
}

std::string Registry::folders_text() const {
  std::string text;
  for (const fs::path& folder : folders_) text += (text.empty() ? "" : ", ") + folder.string();
  return text.empty() ? "no folder at all" : text;
}

Error Registry::wrong_object(const Component* made, const char* kind) {
  return Error({.what = made == nullptr ? "the plugin's factory made nothing"
                                        : "the plugin's factory made an object of another kind",
                .expected = std::string("a class derived from the interface of kind ") + kind});
}

}  // namespace halfling
