// SPDX-License-Identifier: Apache-2.0
// One process at a time in a run folder: a job that is started twice must not mix two runs.
#pragma once

#include <filesystem>

namespace halfling {

/// Holds the folder itself (flock(2)) as long as it lives; the kernel lets go of it however the process ends.
/// The file `.lock` only tells people the number of the process that held it last; without it the lock holds,
/// too. The first thing done with the lock is to remove what a killed process left unfinished: `*.partial` in
/// the folder and the folders in it.
class FolderLock {
 public:
  /// Throws Error (usage) where another lock holds the folder, and where that file cannot be made. A
  /// file system that knows no locks does not hinder a run.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  /// Whether the path still leads to the folder that is held. Where somebody has removed that, it is made
  /// again and held; where another process holds what stands there now, Error (usage): that one must not be
  /// disturbed.
  void renew();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

/// Whether a process trains in the folder now. It looks with a shared lock that it lets go of at once, and
/// writes nothing.
bool is_locked(const std::filesystem::path& folder);

}  // namespace halfling
