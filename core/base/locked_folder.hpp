// SPDX-License-Identifier: Apache-2.0
// Folders that one process at a time works in: the folder itself is locked (flock(2)), and the kernel lets go
// of it however the process ends. A file system that knows no locks hinders nobody.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/uninterrupted.hpp"

namespace halfling {

enum class LockKind : int { exclusive = LOCK_EX, shared = LOCK_SH };

/// A descriptor, to be closed by the caller, which lets go of the lock. -1 with errno EWOULDBLOCK where
/// another one holds the folder, and with the reason where it cannot be opened.
inline int open_locked(const std::filesystem::path& folder, LockKind kind = LockKind::exclusive) {
  const int descriptor =
      uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  const auto lock = [&] { return ::flock(descriptor, static_cast<int>(kind) | LOCK_NB); };
  if (descriptor < 0 || uninterrupted(lock) == 0 || errno != EWOULDBLOCK) return descriptor;
  ::close(descriptor);
  errno = EWOULDBLOCK;
  return -1;
}

}  // namespace halfling
