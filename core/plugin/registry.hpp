// SPDX-License-Identifier: Apache-2.0
// The plugin host: finds plugins on the search path, judges their descriptors and makes their components.
//
//   const Registry registry = Registry::scan({"/my/plugins"});
//   std::unique_ptr<Optimizer> adam = registry.create<Optimizer>("adam", options);
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/catalog.hpp"
#include "halfling/error.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// A plugin that passed. Libraries are never unloaded, so a descriptor lives as long as the process.
struct Plugin {
  const PluginDescriptor* descriptor = nullptr;
  std::filesystem::path file;
};

/// A file that was not taken, and why.
struct Refusal {
  std::filesystem::path file;
  ErrorDetails reason;  ///< `where` is the file
  std::string kind{};   ///< what the file claims to be, where that could be read
  std::string name{};
};

/// Immutable once scanned; may be read from several threads.
class Registry final : public PluginCatalog {
 public:
  /// Looks for *.so in the folders given, then in those of HALFLING_PLUGIN_PATH (colon-separated), then in
  /// the build tree or, once installed, in <libdir>/halfling/plugins. A bad file becomes a refusal. Throws
  /// Error (usage) for a folder that cannot be read, and where two files offer the same kind and name.
  static Registry scan(const std::vector<std::filesystem::path>& extra = {});
  /// Looks in these folders only.
  static Registry scan_only(const std::vector<std::filesystem::path>& folders);

  /// Sorted by kind and name.
  const std::vector<Plugin>& plugins() const { return plugins_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }

  const Plugin* find(std::string_view kind, std::string_view name) const;
  /// As find; where there is none, throws Error (usage) with the known names, the nearest one and related
  /// refusals.
  const Plugin& get(std::string_view kind, std::string_view name) const;

  std::vector<std::string> names(std::string_view kind) const override;
  const PluginDescriptor* descriptor(std::string_view kind, std::string_view name) const override;
  std::string missing_hint(std::string_view kind, std::string_view name) const override;

  /// Calls the plugin's factory with checked options. What it throws arrives as an Error that names plugin
  /// and file.
  template <class T>
  std::unique_ptr<T> create(std::string_view name, const Options& options) const {
    std::unique_ptr<Component> component = create_component(T::kind, name, options);
    if (T* typed = dynamic_cast<T*>(component.get())) {
      component.release();
      return std::unique_ptr<T>(typed);
    }
    throw wrong_class(T::kind, name);
  }

 private:
  std::unique_ptr<Component> create_component(std::string_view kind, std::string_view name,
                                              const Options& options) const;
  Error wrong_class(std::string_view kind, std::string_view name) const;
  void add(const std::filesystem::path& file);
  std::string folders_text() const;

  std::vector<Plugin> plugins_;
  std::vector<Refusal> refusals_;
  std::vector<std::filesystem::path> folders_;  ///< that were searched
};

/// The kinds of plugins that this program knows, sorted.
const std::vector<std::string>& plugin_kinds();

}  // namespace halfling
