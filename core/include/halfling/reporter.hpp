// SPDX-License-Identifier: Apache-2.0
// Plugin kind "reporter": is told what happens in a run, and writes or shows what it likes of it.
//
//   class Losses : public halfling::Reporter {
//     void began(const RunDescription& run) override { file_.open(run.folder / "losses.txt"); }
//     void metrics(const RunMetrics& now) override { file_ << now.iteration << … ; }
//   };
//
// All functions are called by the thread that trains, one at a time, and training waits for them. What they
// are given lives until they return. The order: began; then of each iteration observed, iteration, metrics,
// checkpoint (that was written meanwhile), grid; ended. The first grid comes before the first iteration.
//
// A constructor checks its options and does nothing else: an experiment is checked without being run. A
// reporter may throw: people are told the first time and the run goes on, unless the experiment calls it
// required; then the run ends with a checkpoint. One that fails in began is told nothing more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halfling/exponent_histogram.hpp"
#include "halfling/image.hpp"
#include "halfling/plugin.hpp"
#include "halfling/run.hpp"

namespace halfling {

/// An iteration that was made.
struct IterationDone {
  std::int64_t iteration = 0;    ///< from 1
  std::int64_t epoch = 0;        ///< of its batch, from 0
  double elapsed = 0;            ///< seconds of training so far, of all executions
  double seconds = 0;            ///< that it took, with its input
  double waited = 0;             ///< of these, for the batch
  std::vector<double> losses{};  ///< by training operation, in the order of RunDescription::operations
};

/// Generated images: one column per class, the same noise every time.
struct SampleGrid {
  std::int64_t iteration = 0;          ///< iterations made
  double elapsed = 0;                  ///< seconds of training so far
  double seconds = 0;                  ///< that drawing took, not part of training
  std::int64_t rows = 0;               ///< images per column
  std::vector<std::string> columns{};  ///< class names
  Image image{};                       ///< laid out, enlarged, with gaps
};

/// What the numerics monitor saw of one value, or of all uses of a layer together, in one iteration.
struct Observation {
  std::int64_t iteration = 0;
  std::string kind{};            ///< "gradient", "activation gradient" or "activation"
  std::string operation{};       ///< whose gradient; empty for activations
  std::string value{};           ///< of a parameter or a layer
  DType format = DType::f32;     ///< that it is stored in
  DType judged_in = DType::f16;  ///< the half format whose limits count: its own, else f16
  double loss_scale = 1;         ///< that it is multiplied by
  ExponentHistogram exact{};     ///< before rounding to the format
  std::int64_t stored_zeros = 0;

  /// "g: g.deconv3", unique among the kind.
  std::string name() const { return operation.empty() ? value : operation + ": " + value; }
};

/// A checkpoint that is complete, on the disk.
struct CheckpointWritten {
  std::int64_t iteration = 0;    ///< whose states it holds; training may be further
  std::filesystem::path file{};  ///< safetensors
  std::uint64_t bytes = 0;       ///< of the states
  double seconds = 0;            ///< that writing took, most of it beside training
};

class HALFLING_API Reporter : public Component {
 public:
  static constexpr const char* kind = "reporter";

  /// Once, before the first iteration.
  virtual void began(const RunDescription&) {}
  /// After each iteration: must be quick.
  virtual void iteration(const IterationDone&) {}
  /// Whether it wants metrics of this iteration although none are due. Asked after each iteration, so it must
  /// be quick; a yes reads some scalars from the device.
  virtual bool wants_metrics() const { return false; }
  /// Every metrics.every, with each checkpoint, at the end; and to who wants them.
  virtual void metrics(const RunMetrics&) {}
  /// Every sample.every, at the beginning and at the end; never where the architecture has no generator.
  virtual void grid(const SampleGrid&) {}
  /// Every monitor.every: all values of one iteration.
  virtual void observed(const std::vector<Observation>&) {}
  virtual void checkpoint(const CheckpointWritten&) {}
  /// One line that people should know: a reporter that failed, what a backend has to remark.
  virtual void note(const std::string&) {}
  /// Once, also after a failure; not where the process is killed.
  virtual void ended(const Summary&) {}
};

}  // namespace halfling
