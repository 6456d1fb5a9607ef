// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/uninterrupted.hpp"
#include "halfling/error.hpp"

namespace halfling {

namespace {

const char* hint_for(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space there, or write to another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first";
    default:
      return "";
  }
}

/// Of what is there and is no regular file, else null.
const char* name_of(std::filesystem::file_type type) {
  using std::filesystem::file_type;
  switch (type) {
    case file_type::directory:
      return "a folder";
    case file_type::block:
    case file_type::character:
      return "a device";
    case file_type::fifo:
      return "a pipe";
    case file_type::socket:
      return "a socket";
    default:
      return nullptr;
  }
}

}  // namespace

namespace {

void check_replaceable(const std::filesystem::path& path, std::filesystem::file_type type) {
  const char* found = name_of(type);
  if (found == nullptr) return;
  throw Error({.what = "only a regular file can be written over",
               .where = path.string(),
               .got = found,
               .expected = "a new name, or the name of a file",
               .kind = ErrorKind::usage});
}

}  // namespace

std::filesystem::path output_path(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_type type = fs::status(path, none).type();
  check_replaceable(path, type);
  return type == fs::file_type::regular && fs::is_symlink(path, none) ? fs::canonical(path) : path;
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)), partial_(target_) {
  static std::atomic<unsigned> number = 0;
  std::error_code none;
  check_replaceable(target_, std::filesystem::symlink_status(target_, none).type());
  partial_ += "." + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".partial";
  descriptor_ = uninterrupted(
      [&] { return ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666); });
  if (descriptor_ < 0) fail("a file cannot be created", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void AtomicFile::fail(const char* what, int code) const {
  throw Error({.what = what,
               .where = target_.string(),
               .got = std::generic_category().message(code),
               .hint = hint_for(code)});
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("a file cannot be written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  if (uninterrupted([&] { return ::fsync(descriptor_); }) != 0)
    fail("a file cannot be flushed to the disk", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail("a file cannot be closed", errno);
  if (::rename(partial_.c_str(), target_.c_str()) != 0) fail("a finished file cannot get its name", errno);
  partial_.clear();
  // The new name survives a power cut only once the folder is flushed. Some file systems cannot do that, and
  // the file is there all the same.
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int directory =
      uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (directory < 0) return;
  uninterrupted([&] { return ::fsync(directory); });
  ::close(directory);
}

}  // namespace halfling
