// SPDX-License-Identifier: Apache-2.0
#include "run/folder_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/input_file.hpp"
#include "base/locked_folder.hpp"
#include "base/uninterrupted.hpp"
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
  const int descriptor = uninterrupted(
      [&] { return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666); });
  if (descriptor < 0) fail(file, errno);
  const std::string number = std::to_string(::getpid()) + "\n";
  const ssize_t written = uninterrupted([&] { return ::write(descriptor, number.data(), number.size()); });
  (void)written;
  ::close(descriptor);
}

/// The folder, open and locked. Throws Error where another process holds it.
int held(const fs::path& folder) {
  const int descriptor = open_locked(folder);
  if (descriptor >= 0) return descriptor;
  if (errno != EWOULDBLOCK) fail(folder, errno);
  throw Error({.what = "another process is running this trial",
               .where = folder.string(),
               .got = holder_of(folder),
               .expected = {},
               .hint = "wait for its end, or write a second run to another folder with --out DIR",
               .kind = ErrorKind::usage});
}

void remove_partial(const fs::path& folder) {
  std::error_code ignored;  // a leftover does no harm
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().extension() == ".partial" && entry->is_regular_file(ignored))
      fs::remove(entry->path(), ignored);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : folder_(folder), descriptor_(held(folder)) {
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

void FolderLock::renew() {
  struct stat mine {
  }, there{};
  if (::fstat(descriptor_, &mine) != 0) fail(folder_, errno);
  if (::stat(folder_.c_str(), &there) == 0 && there.st_dev == mine.st_dev && there.st_ino == mine.st_ino)
    return;
  std::error_code told_by_held;
  fs::create_directories(folder_, told_by_held);
  const int now = held(folder_);
  ::close(descriptor_);
  descriptor_ = now;
  write_holder(folder_);
}

bool is_locked(const fs::path& folder) {
  const int descriptor = open_locked(folder, LockKind::shared);
  if (descriptor < 0) return errno == EWOULDBLOCK;
  ::close(descriptor);
  return false;
}

}  // namespace halfling
