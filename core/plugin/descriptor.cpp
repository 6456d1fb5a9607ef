// SPDX-License-Identifier: Apache-2.0
#include "plugin/descriptor.hpp"

#include <algorithm>
#include <cstring>

#include "plugin/registry.hpp"

namespace halfling {
namespace {

bool has_magic(const PluginDescriptor& descriptor) {
  return std::memcmp(descriptor.magic, plugin_magic, sizeof plugin_magic) == 0;
}

bool has_text(const char* text) {
  return text != nullptr && *text != '\0';
}

const char* rebuild_hint = "build the plugin again with this halfling's headers and compiler";

}  // namespace

const std::vector<std::string>& plugin_kinds() {
  static const std::vector<std::string> kinds = {Architecture::kind, Backend::kind,   Dataset::kind,
                                                 LossScaler::kind,   Optimizer::kind, PrecisionPolicy::kind,
                                                 Reporter::kind,     Transform::kind};
  return kinds;
}

bool is_readable(const PluginDescriptor& descriptor) {
  return has_magic(descriptor) && descriptor.abi_version == plugin_abi_version &&
         descriptor.struct_size == sizeof(PluginDescriptor) && has_text(descriptor.kind) &&
         has_text(descriptor.name);
}

std::optional<ErrorDetails> descriptor_defect(const PluginDescriptor& descriptor) {
  if (!has_magic(descriptor)) {
    return ErrorDetails{.what = "the symbol halfling_plugin is no plugin descriptor",
                        .hint = "define it with HALFLING_PLUGIN"};
  }
  if (descriptor.abi_version != plugin_abi_version) {
    return ErrorDetails{.what = "the plugin was built for another version of the plugin interface",
                        .got = "version " + std::to_string(descriptor.abi_version),
                        .expected = "version " + std::to_string(plugin_abi_version),
                        .hint = rebuild_hint};
  }
  if (descriptor.struct_size != sizeof(PluginDescriptor)) {
    return ErrorDetails{.what = "the plugin's descriptor has another size",
                        .got = std::to_string(descriptor.struct_size) + " bytes",
                        .expected = std::to_string(sizeof(PluginDescriptor)) + " bytes",
                        .hint = rebuild_hint};
  }
  const char* fingerprint = descriptor.fingerprint != nullptr ? descriptor.fingerprint : "nothing";
  if (std::strcmp(fingerprint, HALFLING_FINGERPRINT) != 0) {
    return ErrorDetails{.what = "the plugin was built with other tools or headers",
                        .got = fingerprint,
                        .expected = HALFLING_FINGERPRINT,
                        .hint = rebuild_hint};
  }
  if (!is_readable(descriptor) || descriptor.version == nullptr || descriptor.summary == nullptr ||
      descriptor.create == nullptr || (descriptor.options == nullptr && descriptor.option_count > 0)) {
    return ErrorDetails{.what = "the plugin's descriptor has empty fields",
                        .hint = "define it with HALFLING_PLUGIN"};
  }
  const std::vector<std::string>& kinds = plugin_kinds();
  if (std::find(kinds.begin(), kinds.end(), descriptor.kind) != kinds.end()) return std::nullopt;
  std::string known;
  for (const std::string& kind : kinds) known += (known.empty() ? "" : ", ") + kind;
  return ErrorDetails{
      .what = "the plugin is of an unknown kind", .got = descriptor.kind, .expected = "one of " + known};
}

}  // namespace halfling
