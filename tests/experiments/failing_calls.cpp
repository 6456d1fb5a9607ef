// SPDX-License-Identifier: Apache-2.0
// Preloaded (LD_PRELOAD) into the program: lists the calls that write beneath a folder, or makes one of them
// fail.
//
// FAULT_BELOW: the folder. FAULT_LOG: a file to which "FUNCTION PATH" is appended for each call, PATH being
// below the folder, without the number in the name of a file that is not complete. FAULT_AT: such a line,
// FAULT_NTH: which of the calls that have it, from 1, FAULT_CODE: the errno that it fails with, or 0 for a
// write of one byte.
#undef _FILE_OFFSET_BITS  // else open is another name of open64 here
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>

namespace {

struct Settings {
  std::string below, log, at;
  long nth = 0;
  int code = 0;
};

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

const Settings& settings() {
  static const Settings* const made =
      new Settings{variable("FAULT_BELOW"), variable("FAULT_LOG"), variable("FAULT_AT"),
                   std::atol(variable("FAULT_NTH").c_str()), std::atoi(variable("FAULT_CODE").c_str())};
  return *made;
}

/// Programs that this one starts are left alone.
__attribute__((constructor)) void only_here() {
  settings();
  ::unsetenv("LD_PRELOAD");
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

thread_local bool inside = false;

void append(const std::string& line) {
  static const auto open_ = real<int(const char*, int, ...)>("open");
  static const auto write_ = real<ssize_t(int, const void*, size_t)>("write");
  static const auto close_ = real<int(int)>("close");
  const int log = open_(settings().log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (log < 0) return;
  if (write_(log, line.data(), line.size()) < 0) std::abort();
  close_(log);
}

/// Whether this call is the one that fails.
bool chosen(const char* function, std::string path) {
  const Settings& s = settings();
  if (inside || s.below.empty() || path.compare(0, s.below.size(), s.below) != 0) return false;
  inside = true;
  const int before = errno;
  static const std::regex* const number = new std::regex("[0-9]+-[0-9]+\\.partial$");
  const std::string line =
      std::string(function) + " " + std::regex_replace(path.substr(s.below.size()), *number, "partial");
  static std::atomic<long> seen = 0;
  const bool fails = line == s.at && ++seen == s.nth;
  if (s.at.empty() || fails) append(line + "\n");
  errno = before;
  inside = false;
  return fails;
}

bool chosen(const char* function, int descriptor) {
  if (settings().below.empty()) return false;
  char path[4096];
  const int before = errno;
  const ssize_t length =
      ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  errno = before;
  return length > 0 && chosen(function, std::string(path, static_cast<std::size_t>(length)));
}

int failed() {
  errno = settings().code;
  return -1;
}

}  // namespace

extern "C" {

#define HALFLING_OPEN(name)                                                                    \
  int name(const char* path, int flags, ...) {                                                 \
    static const auto real_ = real<int(const char*, int, ...)>(#name);                         \
    va_list more;                                                                              \
    va_start(more, flags);                                                                     \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;                     \
    va_end(more);                                                                              \
    if ((flags & O_ACCMODE) != O_RDONLY && chosen("open", std::string(path))) return failed(); \
    return real_(path, flags, mode);                                                           \
  }
HALFLING_OPEN(open)
HALFLING_OPEN(open64)

FILE* fopen64(const char* path, const char* mode) {
  static const auto real_ = real<FILE*(const char*, const char*)>("fopen64");
  if (mode[0] != 'r' && chosen("open", std::string(path))) return failed(), nullptr;
  return real_(path, mode);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  static const auto real_ = real<ssize_t(int, const void*, size_t)>("write");
  if (!chosen("write", descriptor)) return real_(descriptor, data, size);
  return settings().code == 0 ? real_(descriptor, data, size > 0 ? 1 : 0) : failed();
}

#define HALFLING_DESCRIPTOR(name)                                    \
  int name(int descriptor) {                                         \
    static const auto real_ = real<int(int)>(#name);                 \
    return chosen(#name, descriptor) ? failed() : real_(descriptor); \
  }
HALFLING_DESCRIPTOR(fsync)
HALFLING_DESCRIPTOR(fdatasync)

/// The descriptor is gone all the same, as Linux does it.
int close(int descriptor) {
  static const auto real_ = real<int(int)>("close");
  const bool fails = chosen("close", descriptor);
  const int result = real_(descriptor);
  return fails ? failed() : result;
}

int flock(int descriptor, int operation) {
  static const auto real_ = real<int(int, int)>("flock");
  return chosen("flock", descriptor) ? failed() : real_(descriptor, operation);
}

int ftruncate(int descriptor, off_t size) {
  static const auto real_ = real<int(int, off_t)>("ftruncate");
  return chosen("ftruncate", descriptor) ? failed() : real_(descriptor, size);
}

int rename(const char* from, const char* to) {
  static const auto real_ = real<int(const char*, const char*)>("rename");
  return chosen("rename", std::string(to)) ? failed() : real_(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static const auto real_ = real<int(const char*, mode_t)>("mkdir");
  return chosen("mkdir", std::string(path)) ? failed() : real_(path, mode);
}

#define HALFLING_REMOVE(name)                                            \
  int name(const char* path) {                                           \
    static const auto real_ = real<int(const char*)>(#name);             \
    return chosen("unlink", std::string(path)) ? failed() : real_(path); \
  }
HALFLING_REMOVE(unlink)
HALFLING_REMOVE(remove)
}
