// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

namespace halfling {

/// The files that were loaded without harm, by path, each with what changes when the file does; in one file
/// of the cache, whose first line says which program they were loaded by. What cannot be read there was not
/// tried.
class ProbedFiles {
 public:
  ProbedFiles();
  /// Whether exactly this file was tried.
  bool contains(const std::filesystem::path& file) const;
  void add(const std::filesystem::path& file);
  /// Writes those that are still as they were; a cache that cannot be written is no error.
  void keep() const;

 private:
  std::string program_;
  std::unordered_map<std::string, std::string> stamps_;
};

}  // namespace halfling
