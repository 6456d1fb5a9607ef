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

#include "halfling/error.hpp"
#include "plugin/catalog.hpp"
#include "plugin/guarded.hpp"
#include "plugin/plugin.hpp"

namespace halfling {

/// A file that was not taken, and why.
struct Refusal {
  std::filesystem::path file;
  ErrorDetails reason;  ///< `where` is the file
  std::string kind{};   ///< what the file claims to be, where that could be read
  std::string name{};
};

/// A plugin of this program that its build left out, or that is not where it was to be put.
struct Unbuilt {
  std::string kind, name;
  std::string lacking;  ///< one line
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
  /// Looks at one file, which becomes a plugin or a refusal.
  static Registry scan_file(const std::filesystem::path& file);

  /// Sorted by kind and name.
  const std::vector<Plugin>& plugins() const { return plugins_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }

  /// Optional plugins that were not found, as the build recorded them in the folders searched.
  const std::vector<Unbuilt>& unbuilt() const { return unbuilt_; }

  const Plugin* find(std::string_view kind, std::string_view name) const;
  /// As find; where there is none, throws Error (usage) with the known names, the nearest one and related
  /// refusals.
  const Plugin& get(std::string_view kind, std::string_view name) const;

  std::vector<std::string> names(std::string_view kind) const override;
  const PluginDescriptor* descriptor(std::string_view kind, std::string_view name) const override;
  std::string not_built(std::string_view kind, std::string_view name) const override;
  std::string missing_hint(std::string_view kind, std::string_view name) const override;

  /// Calls the plugin's factory with checked options. What the component throws, here and later, arrives as
  /// an Error that names plugin, file and call; what it returns is checked (see guarded.hpp).
  template <class Interface>
  std::unique_ptr<Interface> create(std::string_view name, const Options& options) const {
    const Plugin& plugin = get(Interface::kind, name);
    const Boundary boundary(plugin);
    return guard(boundary, boundary.call("the factory", [&] {
      std::unique_ptr<Component> component(plugin.descriptor->create(options));
      auto* const typed = dynamic_cast<Interface*>(component.get());
      if (typed == nullptr) throw wrong_object(component.get(), Interface::kind);
      component.release();
      return std::unique_ptr<Interface>(typed);
    }));
  }

 private:
  static Error wrong_object(const Component* made, const char* kind);
  void add_all(const std::vector<std::filesystem::path>& files);
  void add(const std::filesystem::path& file);
  void refuse(const std::filesystem::path& file, ErrorDetails reason, std::string kind = {},
              std::string name = {});
  void read_unbuilt();
  std::string folders_text() const;

  std::vector<Plugin> plugins_;
  std::vector<Refusal> refusals_;
  std::vector<Unbuilt> unbuilt_;
  std::vector<std::filesystem::path> folders_;  ///< that were searched
};

/// The kinds of plugins that this program knows, sorted.
const std::vector<std::string>& plugin_kinds();

}  // namespace halfling
