// SPDX-License-Identifier: Apache-2.0
// Components of a plugin "wild", behind the boundary.
#pragma once

#include <memory>
#include <string>

#include "plugin/guarded.hpp"

namespace halfling::test {

inline PluginDescriptor descriptor_of(const char* kind) {
  PluginDescriptor descriptor{};
  descriptor.kind = kind;
  descriptor.name = "wild";
  return descriptor;
}

/// A component as the registry gives it out.
template <class Interface>
std::unique_ptr<Interface> guarded(std::unique_ptr<Interface> inner) {
  static const PluginDescriptor descriptor = descriptor_of(Interface::kind);
  return guard(Boundary({&descriptor, "/some/wild.so"}), std::move(inner));
}

/// Where an error of such a plugin says that it happened.
inline std::string place(const char* call, const char* kind) {
  return std::string(call) + " of plugin " + kind + "/wild (/some/wild.so)";
}

}  // namespace halfling::test
