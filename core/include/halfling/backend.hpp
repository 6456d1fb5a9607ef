// SPDX-License-Identifier: Apache-2.0
// Plugin kind "backend": compiles graphs and runs them on a device.
//
//   auto session = backend.open(0);              // one device, one set of states
//   auto step = session->compile(iteration);     // all allocation and primitive creation happens here
//   step->write("images", bytes); step->run(); step->read("loss.d", bytes);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halfling/device.hpp"
#include "halfling/graph.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// Bytes that an executable needs, all known once it is compiled.
struct MemoryUse {
  std::uint64_t states = 0;     ///< persistent values, shared by all executables of a session
  std::uint64_t arena = 0;      ///< activations, gradients, temporaries, after reuse
  std::uint64_t workspace = 0;  ///< scratch of the libraries, reordered weights, staging
  std::uint64_t total() const { return states + arena + workspace; }
};

/// One line of a profile: the steps of one node (or of a fused group, named by its first node).
struct ProfileEntry {
  std::string name;  ///< "d.conv2/conv2d_weight_gradient backward bf16"
  std::string implementation;
  double seconds = 0;  ///< mean per run
  double flops = 0;    ///< per run
  double bytes = 0;    ///< per run, read and written
  /// That the steps compute, of the graph that was compiled; empty where it is no node's work, as where
  /// states are moved.
  std::vector<NodeId> nodes{};
};

/// A compiled graph. Not thread-safe; executables of one session run one after the other.
class HALFLING_API Executable {
 public:
  virtual ~Executable();
  /// Copies a whole input from host memory (logical layout, densely packed, the input's DType). It stays
  /// until it is written again.
  virtual void write(std::string_view input, std::span<const std::byte> data) = 0;
  /// Runs once, and leaves the states as the graph says. May return before the device is done.
  virtual void run() = 0;
  /// Waits for the last run and copies a whole output to host memory.
  virtual void read(std::string_view output, std::span<std::byte> data) = 0;
  /// Whether `run` returns before the device is done. The host can then start an iteration before it reads
  /// the results of the one before, so that the device never waits for it.
  virtual bool asynchronous() const { return false; }
  /// Waits for the run before the last one only, and copies a whole output of it. Throws Error where the
  /// executable is not asynchronous, and for outputs too large to be kept.
  virtual void read_previous(std::string_view output, std::span<std::byte> data);
  virtual MemoryUse memory() const = 0;
  /// While on, runs are timed node by node (slower). Off at first.
  virtual void profile(bool on) = 0;
  virtual std::vector<ProfileEntry> profile() const = 0;
  /// What people should know about how it runs ("cannot be captured, …"); empty where all is as it should be.
  virtual std::string remark() const { return {}; }
  /// Sets every bit, which is NaN in every float format, of the memory that a run must write before it reads
  /// it: activations, scratch, outputs. Inputs and states stay. For tests: the runs after it must not differ.
  virtual void spoil() = 0;
};

/// A device with a set of named states.
class HALFLING_API Session {
 public:
  virtual ~Session();
  /// Compiles a verified graph; states it declares are created zeroed unless the session has them already
  /// (then format and shape must agree). Throws Error naming the node that the backend cannot do.
  virtual std::unique_ptr<Executable> compile(const Graph& graph) = 0;
  /// Whole states, logical layout, densely packed, the state's DType.
  virtual void write_state(std::string_view name, std::span<const std::byte> data) = 0;
  virtual void read_state(std::string_view name, std::span<std::byte> data) const = 0;
  /// The most bytes that have been held on a device with memory of its own, without what its driver and
  /// libraries keep for themselves; 0 where the device computes in the memory of this process.
  virtual std::uint64_t peak_device_bytes() const { return 0; }
};

class HALFLING_API Backend : public Component {
 public:
  static constexpr const char* kind = "backend";
  /// The devices found; empty where there is none, and `unavailable` then says what is missing.
  virtual std::vector<Device> devices() const = 0;
  virtual std::string unavailable() const { return {}; }
  /// Rank for `backend.use = "auto"`: the highest with a device wins; negative: never chosen.
  virtual int preference() const = 0;
  /// Empty where the node can be compiled, else the reason. What the backend does not know, such as an op
  /// that came after it was written, it refuses.
  virtual std::string refusal(const Graph& graph, const Node& node) const = 0;
  virtual std::unique_ptr<Session> open(int device) = 0;
};

}  // namespace halfling
