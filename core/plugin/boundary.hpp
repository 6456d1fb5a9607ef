// SPDX-License-Identifier: Apache-2.0
// Where a plugin's code is entered. Whatever it throws leaves as an Error that names plugin and call, and a
// crash is named, too. The classes of guarded.hpp pass every call of a component through here.
#pragma once

#include <string>
#include <utility>

#include "halfling/error.hpp"
#include "plugin/call.hpp"
#include "plugin/plugin.hpp"

namespace halfling {

/// Memory ran out in a plugin. Whoever knows the trial says what would fit.
class PluginOutOfMemory : public Error {
 public:
  using Error::Error;
  ~PluginOutOfMemory() override;
};

class Boundary {
 public:
  explicit Boundary(const Plugin& plugin);

  /// What `function`, which calls the plugin, returns. `name` is a literal: "read".
  template <class Function>
  decltype(auto) call(const char* name, Function&& function) const {
    const CallInProgress in_progress(here(name));
    try {
      return std::forward<Function>(function)();
    } catch (...) {
      rethrow(name);
    }
  }
  /// An error about what a call returned; `where` is filled in.
  [[noreturn]] void refuse(const char* call, ErrorDetails details) const;

  /// "dataset/idx".
  std::string identity() const;
  PluginCall here(const char* call) const;

 private:
  [[noreturn]] void rethrow(const char* call) const;
  std::string place(const char* call) const;

  Plugin plugin_;
};

}  // namespace halfling
