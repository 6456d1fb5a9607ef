// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "halfling/error.hpp"

namespace halfling {
namespace {

class Reader {
 public:
  Reader(const std::filesystem::path& file, Links links)
      : file_(file),
        descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                                             (links == Links::refused ? O_NOFOLLOW : 0))),
        code_(descriptor_ < 0 ? errno : 0) {}
  ~Reader() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool absent() const { return code_ == ENOENT || code_ == ENOTDIR; }

  std::string text(std::uint64_t most) const {
    if (code_ != 0) refuse(code_ == ELOOP ? "a link" : std::generic_category().message(code_));
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse(std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) refuse(S_ISDIR(status.st_mode) ? "a folder" : "a pipe, socket or device");
    if (static_cast<std::uint64_t>(status.st_size) > most) too_large(most);
    std::string result;
    // Files of /proc have no size, and a file may grow meanwhile.
    std::string chunk(std::clamp<std::size_t>(static_cast<std::size_t>(status.st_size), 4096, 1 << 20), '\0');
    for (ssize_t count = 0; (count = ::read(descriptor_, chunk.data(), chunk.size())) != 0;) {
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(std::generic_category().message(errno));
      result.append(chunk, 0, static_cast<std::size_t>(count));
      if (result.size() > most) too_large(most);
    }
    return result;
  }

 private:
  [[noreturn]] void refuse(std::string got) const {
    throw Error({.what = "a file cannot be read",
                 .where = file_.string(),
                 .got = std::move(got),
                 .expected = "a regular file that you may read",
                 .kind = ErrorKind::usage});
  }
  [[noreturn]] void too_large(std::uint64_t most) const {
    throw Error({.what = "a file is larger than such a file can be",
                 .where = file_.string(),
                 .got = {},
                 .expected = "at most " + std::to_string(most) + " bytes",
                 .kind = ErrorKind::usage});
  }

  const std::filesystem::path& file_;
  int descriptor_, code_;
};

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& file, std::uint64_t most, Links links) {
  const Reader reader(file, links);
  if (reader.absent()) return std::nullopt;
  return reader.text(most);
}

}  // namespace halfling
