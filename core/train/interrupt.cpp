// SPDX-License-Identifier: Apache-2.0
#include "train/interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace halfling {
namespace {

volatile std::sig_atomic_t seen = 0, telling = 0, wanted = 0;

constexpr int interrupts[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

/// All that it calls is async-signal-safe (signal-safety(7)).
extern "C" void remember_interrupt(int) {
  const int before = errno;
  seen = 1;
  for (const int signal : interrupts) std::signal(signal, SIG_DFL);
  constexpr std::string_view answer =
      "\nstopping after this iteration; Ctrl-C again ends at once, without a checkpoint\n";
  if (telling != 0 && ::write(STDERR_FILENO, answer.data(), answer.size()) < 0) telling = 0;
  errno = before;
}

extern "C" void remember_checkpoint(int) {
  wanted = 1;
}

/// A signal that the caller had ignored, as nohup does, stays ignored.
void watch(int signal, const struct sigaction& action) {
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void watch_interrupts(bool tells) {
  telling = tells ? 1 : 0;
  struct sigaction action {};
  action.sa_handler = remember_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  watch(SIGQUIT, action);
  watch(SIGHUP, action);
  action.sa_handler = remember_checkpoint;
  watch(SIGUSR1, action);
}

bool checkpoint_wanted() {
  return wanted != 0;
}

void checkpoint_begun() {
  wanted = 0;
}

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
  return seen != 0;
}

}  // namespace halfling
