// SPDX-License-Identifier: Apache-2.0
// Declared plugins for tests of the reader: they have descriptors, as real ones, but no code.
#pragma once

#include <algorithm>
#include <vector>

#include "plugin/catalog.hpp"

namespace halfling::testing {

inline constexpr OptionDeclaration cpu_options[] = {
    {"threads", OptionType::integer, "", "0", "compute threads; 0: all", 0, 4096},
    {"trace", OptionType::boolean, "", "false", "prints each step"},
};
inline constexpr OptionDeclaration reference_options[] = {
    {"trace", OptionType::boolean, "", "false", "prints each step"},
};
inline constexpr OptionDeclaration mixed_options[] = {
    {"half", OptionType::string, "", "\"auto\"", "half format", -unbounded, unbounded, "fp16|bf16|auto"},
};
inline constexpr OptionDeclaration dynamic_options[] = {
    {"initial", OptionType::number, "", "65536", "first scale", 1, 0x1p24},
    {"interval", OptionType::integer, "iterations", "2000", "iterations before it grows", 1},
};
inline constexpr OptionDeclaration static_options[] = {
    {"scale", OptionType::number, "", "128", "the scale", 1, 0x1p24},
};
inline constexpr OptionDeclaration adam_options[] = {
    {"learning_rate", OptionType::number, "", "2e-4", "step size", 0, 1},
    {"beta1", OptionType::number, "", "0.5", "decay of the mean", 0, 0.999999},
    {"beta2", OptionType::number, "", "0.999", "decay of the square", 0, 0.999999},
};
inline constexpr OptionDeclaration sgd_options[] = {
    {"learning_rate", OptionType::number, "", "1e-2", "step size", 0, 100},
    {"momentum", OptionType::number, "", "0", "decay of the velocity", 0, 0.999999},
};
inline constexpr OptionDeclaration files_options[] = {
    {"root", OptionType::path, "", nullptr, "folder of the images"},
    {"classes", OptionType::string_list, "", "[]", "class names; []: numbers"},
    {"cache", OptionType::size, "", "\"64MiB\"", "memory for decoded images", 1024},
    {"timeout", OptionType::duration, "s", "\"30s\"", "longest wait for a file", 0.001, 3600},
    {"index", OptionType::path, "", "\"\"", "list of the files, where there is one"},
};
inline constexpr OptionDeclaration synthetic_options[] = {
    {"samples", OptionType::integer, "", "6000", "number of samples", 1, 1e9},
};
inline constexpr OptionDeclaration acgan_options[] = {
    {"z_dim", OptionType::integer, "", "100", "length of the noise vector", 1, 65536},
    {"leaky_slope", OptionType::number, "", "0.2", "slope of leaky ReLU", 0, 1},
};
inline constexpr OptionDeclaration flip_options[] = {
    {"probability", OptionType::number, "", "0.5", "share of the samples that are mirrored", 0, 1},
};
inline constexpr OptionDeclaration crop_options[] = {
    {"size", OptionType::integer, "pixels", nullptr, "height and width of what is left", 1, 4096},
};
inline constexpr OptionDeclaration normalize_options[] = {
    {"mean", OptionType::number_list, "", "[0.5]", "subtracted, for all channels or for each", 0, 1},
};
inline constexpr OptionDeclaration table_options[] = {
    {"file", OptionType::path, "", nullptr, "file that is written"},
};

class DeclaredPlugins : public PluginCatalog {
 public:
  DeclaredPlugins() {
    add("backend", "cpu", cpu_options);
    add("backend", "reference", reference_options);
    add("precision", "fp32", no_options);
    add("precision", "mixed", mixed_options);
    add("loss_scaler", "none", no_options);
    add("loss_scaler", "static", static_options);
    add("loss_scaler", "dynamic", dynamic_options);
    add("optimizer", "adam", adam_options);
    add("optimizer", "sgd", sgd_options);
    add("dataset", "files", files_options);
    add("dataset", "synthetic", synthetic_options);
    add("transform", "flip", flip_options);
    add("transform", "crop", crop_options);
    add("transform", "normalize", normalize_options);
    add("architecture", "acgan", acgan_options);
    add("reporter", "table", table_options);
  }
  void add(const char* kind, const char* name, std::span<const OptionDeclaration> options) {
    plugins_.push_back({{}, 0, 0, "", kind, name, "1.2.0", "", options.data(), options.size(), nullptr});
  }
  std::vector<std::string> names(std::string_view kind) const override {
    std::vector<std::string> result;
    for (const PluginDescriptor& plugin : plugins_)
      if (plugin.kind == kind) result.emplace_back(plugin.name);
    std::sort(result.begin(), result.end());
    return result;
  }
  const PluginDescriptor* descriptor(std::string_view kind, std::string_view name) const override {
    for (const PluginDescriptor& plugin : plugins_)
      if (plugin.kind == kind && plugin.name == name) return &plugin;
    return nullptr;
  }
  std::string missing_hint(std::string_view, std::string_view name) const override {
    return name == "broken" ? "halfling-broken.so was refused: it is truncated" : "";
  }

 private:
  std::vector<PluginDescriptor> plugins_;
};

}  // namespace halfling::testing
