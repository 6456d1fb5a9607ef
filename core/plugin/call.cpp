// SPDX-License-Identifier: Apache-2.0
#include "plugin/call.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace halfling {
namespace {

/// A thread that has called plugins. The handler of signals walks their list, so that they are used again but
/// never freed.
struct Thread {
  std::atomic<pid_t> id = 0;  ///< 0: of no thread at present
  std::atomic<const PluginCall*> call = nullptr;
  Thread* next = nullptr;
};
std::atomic<Thread*> threads = nullptr;
static_assert(std::atomic<Thread*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

std::atomic<bool> watching = false;
bool on_terminal = false;

Thread* claim_thread() {
  const pid_t self = ::gettid();
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    pid_t none = 0;
    if (thread->id.compare_exchange_strong(none, self)) return thread;
  }
  auto* thread = new Thread;
  thread->id = self;
  thread->next = threads;
  while (!threads.compare_exchange_weak(thread->next, thread)) {
  }
  return thread;
}

/// A stack for the handler: where a plugin has used up the thread's own, nothing could run on that.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<std::byte[]>(size);
    const stack_t own{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = size};
    if (::sigaltstack(&own, nullptr) != 0) memory_.reset();
  }
  ~SignalStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (memory_) ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;

 private:
  static constexpr std::size_t size = 64 << 10;  // the registers of AVX-512 and AMX alone take 11 KiB
  std::unique_ptr<std::byte[]> memory_;
};

struct ThisThread {
  ThisThread() : entry(claim_thread()) {
    if (watching) stack = std::make_unique<SignalStack>();
  }
  ~ThisThread() {
    entry->call = nullptr;
    entry->id = 0;
  }
  Thread* entry;
  std::unique_ptr<SignalStack> stack;
};

Thread& this_thread() {
  thread_local ThisThread self;
  return *self.entry;
}

/// A text of limited length, made without a call that a handler of signals may not make.
class Line {
 public:
  Line() {
    if (on_terminal) text_[length_++] = '\n';  // a status line has no end
  }
  void add(const char* text) {
    for (; *text != '\0' && length_ < text_.size() - 1; ++text)
      text_[length_++] = static_cast<unsigned char>(*text) < ' ' ? '?' : *text;
  }
  void add(const PluginCall& call) {
    add("plugin ");
    if (call.kind != nullptr) {
      for (const char* part : {call.kind, "/", call.name, " ("}) add(part);
    }
    add(call.file);
    add(call.kind != nullptr ? "), in " : ", in ");
    add(call.call);
  }
  void write() {
    text_[length_++] = '\n';
    const char* at = text_.data();
    while (length_ > 0) {
      const ssize_t done = ::write(STDERR_FILENO, at, length_);
      if (done <= 0) return;
      at += done;
      length_ -= static_cast<std::size_t>(done);
    }
  }

 private:
  std::array<char, 4096> text_;
  std::size_t length_ = 0;
};

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV (a wrong address)";
    case SIGBUS:
      return "SIGBUS (memory that is not there, or a mapped file cut short)";
    case SIGFPE:
      return "SIGFPE (a wrong calculation with integers)";
    case SIGILL:
      return "SIGILL (an instruction that this processor lacks)";
    default:
      return "SIGABRT (it gave up)";
  }
}

void crashed(int signal) {
  const pid_t self = ::gettid();
  const PluginCall* own = nullptr;
  for (const Thread* thread = threads; thread != nullptr; thread = thread->next)
    if (thread->id == self) own = thread->call;
  Line line;
  line.add("halfling: ");
  line.add(name_of(signal));
  line.add(own != nullptr ? " in " : " in a thread that it started, probably: ");
  bool any = own != nullptr;
  if (own != nullptr) line.add(*own);
  for (const Thread* thread = threads; own == nullptr && thread != nullptr; thread = thread->next)
    if (const PluginCall* call = thread->call) {
      if (any) line.add(", or ");
      line.add(*call);
      any = true;
    }
  if (any) line.write();
  ::raise(signal);  // the default action is back, and begins when this function returns
}

}  // namespace

CallInProgress::CallInProgress(const PluginCall& call)
    : call_(call), outer_(this_thread().call.exchange(&call_)) {}

CallInProgress::~CallInProgress() {
  this_thread().call = outer_;
}

void name_crashing_plugins() {
  on_terminal = ::isatty(STDERR_FILENO) == 1;
  watching = true;
  this_thread();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction present {};
    if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction own {};
    own.sa_handler = crashed;
    own.sa_flags = SA_ONSTACK | SA_RESETHAND;
    ::sigaction(signal, &own, nullptr);
  }
}

}  // namespace halfling
