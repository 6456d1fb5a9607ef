// SPDX-License-Identifier: Apache-2.0
// summary.json: what a run came to, for programs and for comparisons.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "measure/statistics.hpp"
#include "report/figures.hpp"

namespace halfling {

/// What the memory plan predicts, bytes.
struct PlannedBytes {
  std::uint64_t states = 0;     ///< parameters, moments, statistics, counters
  std::uint64_t arena = 0;      ///< values of one iteration and of one grid, after reuse
  std::uint64_t workspace = 0;  ///< scratch of the libraries
  std::uint64_t batches = 0;    ///< batches in flight
  std::uint64_t total() const { return states + arena + workspace + batches; }
};

struct Summary {
  std::string status;  ///< "done", "interrupted" or "failed"
  std::string error;   ///< of a failed run
  std::string experiment, trial, label;
  std::string backend, device, precision;
  bool native = true;                 ///< false: shows numerics, never speed
  std::vector<std::string> emulated;  ///< formats
  std::int64_t batch_size = 0;
  std::int64_t iterations = 0, samples = 0;
  double wall_s = 0;                   ///< seconds of training, of all executions of a resumed run
  double setup_s = 0;                  ///< before the first iteration
  double output_s = 0;                 ///< spent on image grids and checkpoints
  std::int64_t warmup_iterations = 0;  ///< not part of the times below
  std::int64_t timed_iterations = 0;   ///< of this execution
  Quantiles ms_per_iteration;          ///< NaN where no iteration was timed
  /// Samples over seconds of all timed iterations, so that slow ones count; NaN where none was timed.
  double images_per_s = std::numeric_limits<double>::quiet_NaN();
  double input_wait_share = 0;  ///< of the timed iterations; NaN where there is none
  /// Of a device with memory of its own, all that the session held there; else resident memory, from the
  /// start of set-up or after a checkpoint was loaded. 0 where it was not measured.
  std::uint64_t peak_bytes = 0;
  PlannedBytes planned;
  std::vector<OperationFigures> operations;  ///< of the last iteration

  double ms_per_1000_samples() const;
};

/// Throws Error where the file cannot be written.
void write_summary(const std::filesystem::path& file, const Summary& summary);
/// nullopt where there is none, or none that can be understood.
std::optional<Summary> read_summary(const std::filesystem::path& file);

}  // namespace halfling
