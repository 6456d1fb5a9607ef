// SPDX-License-Identifier: Apache-2.0
// The key functions of the interfaces that plugins implement: they put each class's type information into the
// core library, so that casts and catches work across plugins.
#include "halfling/backend.hpp"
#include "halfling/error.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

Component::~Component() = default;
Executable::~Executable() = default;
void Executable::read_previous(std::string_view output, std::span<std::byte>) {
  throw Error({.what = "only the last run's outputs are kept", .where = std::string(output)});
}
Session::~Session() = default;

}  // namespace halfling
