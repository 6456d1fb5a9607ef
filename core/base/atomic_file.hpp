// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name complete, or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace halfling {

/// Where a file that the user names goes: `path`, or the regular file that a symbolic link there leads to.
/// Throws Error (usage) where a folder, a device, a pipe or a socket has the name: they are never replaced.
std::filesystem::path output_path(const std::filesystem::path& path);

/// Writes to `<target>.<process>-<number>.partial` in the target's folder; commit() gives it the target's
/// name, replacing a file of that name, or a symbolic link, which is never written through: a folder that
/// somebody sent could have one that leads out of it. Without commit() the destructor removes it. Every
/// failure is an Error with the target's path: unwritable folder, full disk, a failing flush.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Flushes to the disk, closes, renames. Once.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int code) const;

  std::filesystem::path target_, partial_;
  int descriptor_ = -1;
};

}  // namespace halfling
