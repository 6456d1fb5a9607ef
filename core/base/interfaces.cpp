// SPDX-License-Identifier: Apache-2.0
// The key functions of the interfaces that plugins implement: they put each class's type information into the
// core library, so that casts and catches work across plugins.
#include "halfling/backend.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

Component::~Component() = default;
Executable::~Executable() = default;
Session::~Session() = default;

}  // namespace halfling
