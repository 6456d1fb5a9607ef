// SPDX-License-Identifier: Apache-2.0
#include "data_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "halfling/error.hpp"

namespace halfling {

namespace {

[[noreturn]] void refuse(const std::string& file, const char* what, std::string got, std::string expected,
                         const char* hint = "") {
  throw Error({.what = what,
               .where = file,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = hint,
               .kind = ErrorKind::usage});
}

}  // namespace

/// Not blocking: a named pipe without a writer would be waited for.
DataFile::DataFile(std::string name)
    : name_(std::move(name)), descriptor_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

DataFile::DataFile(std::string name, const char* expected) : DataFile(std::move(name)) {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    refuse(name_, "a data file cannot be opened", std::strerror(errno), expected,
           "check the path; data sets are not part of halfling");
  if (!S_ISREG(status.st_mode)) refuse(name_, "a data file is no plain file", "", expected);
  if (status.st_size == 0) refuse(name_, "a data file is empty", "0 bytes", expected);
  size_ = status.st_size;
}

DataFile::DataFile(DataFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

DataFile::~DataFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t DataFile::read_some(std::int64_t offset, std::span<std::uint8_t> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(descriptor_, to.data() + done, to.size() - done,
                                static_cast<off_t>(offset + static_cast<std::int64_t>(done)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Error({.what = "a data file cannot be read",
                   .where = place(offset + static_cast<std::int64_t>(done)),
                   .got = std::strerror(errno)});
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void DataFile::read(std::int64_t offset, std::span<std::uint8_t> to) const {
  const std::size_t got = read_some(offset, to);
  if (got == to.size()) return;
  throw Error({.what = "a data file has become shorter since it was opened",
               .where = place(offset + static_cast<std::int64_t>(got)),
               .got = "its end",
               .expected = std::to_string(size_) + " bytes, as when it was opened",
               .hint = "leave data files alone while they are trained on; fetch this one again"});
}

}  // namespace halfling
