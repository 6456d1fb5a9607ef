// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <system_error>

/// A temporary folder with copies of some of the test plugins. A copy is a file of its own to the loader.
class PluginFolder {
 public:
  PluginFolder(std::initializer_list<const char*> plugins) {
    std::string pattern = (std::filesystem::temp_directory_path() / "halfling-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = std::filesystem::canonical(pattern);
    for (const char* plugin : plugins) add(plugin, plugin);
  }
  ~PluginFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  void add(const std::string& plugin, const std::string& name) const {
    std::filesystem::copy_file(std::filesystem::path(HALFLING_TEST_PLUGINS) / (plugin + ".so"), file(name));
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
  }
  std::filesystem::path file(const std::string& name) const { return path_ / (name + ".so"); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
