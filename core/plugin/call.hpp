// SPDX-License-Identifier: Apache-2.0
// The calls into plugins that are in progress, so that a plugin that crashes is named before the process
// dies.
#pragma once

namespace halfling {

/// What a thread has called; the texts outlive the call. Kind and name are nullptr while a file is loaded.
struct PluginCall {
  const char* file;
  const char* kind;
  const char* name;
  const char* call;
};

/// A call of this thread, in progress for as long as this lives. Calls may be nested.
class CallInProgress {
 public:
  explicit CallInProgress(const PluginCall& call);
  ~CallInProgress();
  CallInProgress(const CallInProgress&) = delete;

 private:
  PluginCall call_;
  const PluginCall* outer_;
};

/// From here on, a signal that ends the process while a plugin is called (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT) first writes a line to stderr that names the plugin and the call. Its default action follows, so
/// that exit status and core dump are as ever. Signals that somebody else handles are left alone.
void name_crashing_plugins();

}  // namespace halfling
