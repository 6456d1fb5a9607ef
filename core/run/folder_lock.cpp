// SPDX-License-Identifier: Apache-2.0
#include "run/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/input_file.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr const char* holder_file = ".lock";

/// "process 1234", or nothing where the holder has not written it yet.
std::string holder_of(const fs::path& folder) {
  const std::string number = read_file(folder / holder_file, 64, Links::refused).value_or("");
  return number.empty() ? "" : "process " + number.substr(0, number.find('\n'));
}

[[noreturn]] void fail(const fs::path& place, int code) {
  throw Error({.what = "the run folder cannot be locked",
               .where = place.string(),
               .got = std::generic_category().message(code),
               .expected = {},
               .hint = "choose a folder that you may write to with --out DIR",
               .kind = ErrorKind::usage});
}

/// Only a help for people: a disk without room for it is no reason to stop here.
void write_holder(const fs::path& folder) {
  const fs::path file = folder / holder_file;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail(file, errno);
  const std::string number = std::to_string(::getpid()) + "\n";
  const ssize_t written = ::write(descriptor, number.data(), number.size());
  (void)written;
  ::close(descriptor);
}

void remove_partial(const fs::path& folder) {
  std::error_code ignored;  // a leftover does no harm
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().extension() == ".partial" && entry->is_regular_file(ignored))
      fs::remove(entry->path(), ignored);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(folder, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw Error({.what = "another process is running this trial",
                 .where = folder.string(),
                 .got = holder_of(folder),
                 .expected = {},
                 .hint = "wait for its end, or write a second run to another folder with --out DIR",
                 .kind = ErrorKind::usage});
  }
  try {
    write_holder(folder);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  remove_partial(folder);
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

bool is_locked(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace halfling
