// SPDX-License-Identifier: Apache-2.0
#include "plugin/probe.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "plugin/probed_files.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t all_loaded = UINT32_MAX;
constexpr int threw = 70;             // the child's status where a constructor did
constexpr int longest_load = 60'000;  // milliseconds; also on a busy machine with a slow disk

/// Nothing that a plugin does while it is loaded is to be seen twice.
void become_quiet() {
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGPIPE})
    ::signal(signal, SIG_DFL);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// In the child: tells the number of each file before it is loaded.
[[noreturn]] void load_all(const std::vector<fs::path>& files, std::size_t first, int told) {
  become_quiet();
  const auto tell = [&](std::uint32_t what) {
    if (::write(told, &what, sizeof what) != sizeof what) ::_exit(1);
  };
  // Its declaration says that it throws nothing, which is not so where a static constructor throws.
  void* (*const volatile load)(const char*, int) = ::dlopen;
  for (std::size_t i = first; i < files.size(); ++i) {
    tell(static_cast<std::uint32_t>(i));
    try {
      load(files[i].c_str(), RTLD_NOW | RTLD_LOCAL);  // whoever wants the plugin says why it cannot be had
    } catch (...) {  // it came through the loader, which is in no state to load anything more
      ::_exit(threw);
    }
  }
  tell(all_loaded);
  ::_exit(0);
}

struct Heard {
  std::optional<std::uint32_t> last{};
  bool in_time = true;
};

/// What the child told last, when it told no more.
Heard listen(int pipe) {
  Heard heard;
  for (;;) {
    pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, longest_load);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) heard.in_time = false;
    std::uint32_t told = 0;
    if (ready <= 0 || ::read(pipe, &told, sizeof told) != sizeof told) return heard;
    heard.last = told;
  }
}

ErrorDetails death(int status, bool in_time) {
  std::string how = "it called exit";
  if (!in_time)
    how = "it was not loaded within a minute";
  else if (WIFSIGNALED(status))
    how = std::string("signal SIG") + ::sigabbrev_np(WTERMSIG(status)) + " (" +
          ::sigdescr_np(WTERMSIG(status)) + ")";
  else if (WEXITSTATUS(status) == threw)
    how = "a static constructor threw an exception";
  return {.what = "loading the file ends the process, as a trial in a child process showed",
          .got = how,
          .hint = "build or copy the plugin again; its static constructors run when it is loaded"};
}

/// What a child process found out.
struct Trial {
  std::size_t whole_until;              ///< the files before this one came back
  std::optional<ErrorDetails> death{};  ///< of the file at that place
};

Trial try_loading(const std::vector<fs::path>& files, std::size_t first) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {first};
  const pid_t child = ::fork();
  if (child == 0) load_all(files, first, ends[1]);
  ::close(ends[1]);
  const Heard heard = child < 0 ? Heard{} : listen(ends[0]);
  ::close(ends[0]);
  if (child < 0) return {first};
  if (!heard.in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!heard.last) return {first};
  if (*heard.last == all_loaded) return {files.size()};
  const bool asked_to_end =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM);
  if (asked_to_end) return {*heard.last};
  return {*heard.last, death(status, heard.in_time)};
}

}  // namespace

std::map<fs::path, ErrorDetails> deadly_libraries(const std::vector<fs::path>& files) {
  ProbedFiles probed;
  std::vector<fs::path> untried;
  for (const fs::path& file : files)
    if (!probed.contains(file)) untried.push_back(file);
  std::map<fs::path, ErrorDetails> deadly;
  for (std::size_t next = 0; next < untried.size();) {
    const Trial trial = try_loading(untried, next);
    for (; next < trial.whole_until; ++next) probed.add(untried[next]);
    if (!trial.death) break;
    deadly.emplace(untried[next++], *trial.death);
  }
  if (!untried.empty()) probed.keep();
  return deadly;
}

}  // namespace halfling
