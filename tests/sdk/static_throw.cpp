// SPDX-License-Identifier: Apache-2.0
// A library that ends the process while it is loaded.
#include <stdexcept>

namespace {
const struct Throws {
  Throws() { throw std::runtime_error("out of a static constructor"); }
} throws;
}  // namespace
