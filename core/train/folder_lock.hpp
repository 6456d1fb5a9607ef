// SPDX-License-Identifier: Apache-2.0
// One process at a time in a run folder: a job that is started twice must not mix two runs.
#pragma once

#include <filesystem>

namespace halfling {

/// Holds an advisory lock (flock) on the folder itself; the system lets it go when the process ends, however
/// it ends.
class FolderLock {
 public:
  /// Throws Error (usage) where another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace halfling
