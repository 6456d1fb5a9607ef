// SPDX-License-Identifier: Apache-2.0
// Runs the graphs of a case on a backend.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "case.hpp"
#include "halfling/backend.hpp"

namespace halfling::conformance {

/// By name: "output y", "state p", of the second graph "then output y".
using Results = std::map<std::string, HostValue>;

/// What a run finds in memory: what the last one left, or nothing but NaN.
enum class Memory { as_it_is, spoiled };

/// The graphs of a case, compiled in one session.
class Program {
 public:
  /// For comparing: differentiates once. Throws Error where the backend refuses a node or cannot compile.
  Program(Backend& backend, const Case& the_case, const Format& format);
  Program(Backend& backend, const Case& the_case, const Builder::Settings& settings);
  /// For finite differences: as often as the case says, in f64, on smooth data.
  static Builder::Settings smooth_settings(const Case& the_case);
  /// Sets the states, and the first time the inputs too (they stay until they are written again); runs, and
  /// collects every output and state. Throws Error where the backend writes outside of a host buffer.
  Results run(Memory before = Memory::as_it_is);
  /// The first graph and its data, for finite differences.
  const Builder& builder() const { return *parts_[0].builder; }
  Executable& executable() { return *parts_[0].executable; }

 private:
  struct Part {
    std::string prefix;
    std::unique_ptr<Builder> builder;
    std::unique_ptr<Executable> executable;
  };
  void add(Backend& backend, const std::string& prefix, const std::function<void(Builder&)>& build,
           const Builder::Settings& settings);
  void collect(const Part& part, Results& results) const;

  int runs_;
  bool inputs_written_ = false;
  std::unique_ptr<Session> session_;
  std::vector<Part> parts_;
};

/// Reads a value into a buffer with sentinels on both sides.
HostValue read_guarded(const ValueInfo& info, const std::string& name,
                       const std::function<void(std::span<std::byte>)>& read);

}  // namespace halfling::conformance
