// SPDX-License-Identifier: Apache-2.0
#include "train/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "halfling/error.hpp"

namespace halfling {

// A file system without locks, or a folder that cannot be opened for reading, is no reason not to train.
FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw Error({.what = "another process trains this trial",
               .where = folder.string(),
               .got = {},
               .expected = {},
               .hint = "wait for it, or write a second run to another folder with --out DIR",
               .kind = ErrorKind::usage});
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace halfling
