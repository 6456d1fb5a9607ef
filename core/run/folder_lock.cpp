// SPDX-License-Identifier: Apache-2.0
#include "run/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "halfling/error.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

/// "process 1234", or nothing where the holder has not written it yet.
std::string holder_of(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string number(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return number.empty() ? "" : "process " + number.substr(0, number.find('\n'));
}

void write_holder(int descriptor) {
  const std::string number = std::to_string(::getpid()) + "\n";
  // Only a help for people: a disk without room for it is no reason to stop here.
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, number.data(), number.size(), 0) < 0) return;
}

void remove_partial(const fs::path& folder) {
  std::error_code ignored;  // a leftover does no harm
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().extension() == ".partial" && entry->is_regular_file(ignored))
      fs::remove(entry->path(), ignored);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path file = folder / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0)
    throw Error({.what = "the run folder cannot be locked",
                 .where = file.string(),
                 .got = std::generic_category().message(errno),
                 .expected = {},
                 .hint = "choose a folder that you may write to with --out DIR",
                 .kind = ErrorKind::usage});
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string holder = holder_of(descriptor_);
    ::close(descriptor_);
    throw Error({.what = "another process is running this trial",
                 .where = folder.string(),
                 .got = holder,
                 .expected = {},
                 .hint = "wait for its end, or write a second run to another folder with --out DIR",
                 .kind = ErrorKind::usage});
  }
  write_holder(descriptor_);
  remove_partial(folder);
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

bool is_locked(const fs::path& folder) {
  const int descriptor = ::open((folder / ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace halfling
