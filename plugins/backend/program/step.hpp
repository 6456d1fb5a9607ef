// SPDX-License-Identifier: Apache-2.0
// What runs: a flat list of steps with everything decided and every address known.
#pragma once

#include <string>

#include "program.hpp"

namespace halfling::program {

/// `Queue`: where a device's work goes, if that must be said.
template <class... Queue>
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Queue... queue) = 0;
  /// Bytes of scratch that it needs while it runs; given by use_scratch before the first run.
  virtual std::size_t scratch_bytes() const { return 0; }
  virtual void use_scratch(std::byte* scratch) { (void)scratch; }
  /// For profiles: "brgconv:avx512_core".
  virtual std::string implementation() const = 0;
};

/// What steps are made from; a backend adds what its device needs.
struct StepContext {
  const Graph& graph;
  const Program& program;
  const std::vector<std::byte*>& addresses;  ///< by place, in the device's memory

  std::byte* address(Ref ref) const { return addresses[static_cast<std::size_t>(program.place(ref))]; }
  template <class T>
  T* as(Ref ref) const {
    return reinterpret_cast<T*>(address(ref));
  }
};

}  // namespace halfling::program
