// SPDX-License-Identifier: Apache-2.0
// What a run is, what it tells while it goes on, and what it came to: plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfling/measurement.hpp"
#include "halfling/quality.hpp"
#include "halfling/shape.hpp"

namespace halfling {

/// What an hour of a machine costs.
struct Price {
  double per_hour = 0;
  std::string currency{};  ///< "USD": three letters, as ISO 4217 has them
  // Of a price that was found in a list; empty of one that the experiment states.
  std::string name{}, what{}, source{}, date{};

  /// What so many milliseconds an iteration cost.
  double of(double ms_per_iteration, double iterations) const {
    return per_hour * ms_per_iteration * iterations / 3.6e6;
  }
};

/// A trial, and what computes it.
struct RunIdentity {
  std::string experiment{};             ///< name
  std::string trial{};                  ///< id
  std::string label{};                  ///< what the sweep set: "precision.use=mixed"; empty without a sweep
  std::string backend{};                ///< name of the plugin, never "auto"
  std::string device{};                 ///< "AMD EPYC 9B45, 2 threads"
  std::string precision{};              ///< name of the policy
  bool native = true;                   ///< false: shows numerics, never speed
  std::vector<std::string> emulated{};  ///< formats that the device only emulates
  std::int64_t batch_size = 0;          ///< samples that one run of a phase sees
  std::int64_t samples_per_iteration = 0;  ///< batches of an iteration times batch_size
  std::optional<Price> price{};            ///< [cost], never of a device that only shows numerics
};

/// A run at its beginning.
struct RunDescription : RunIdentity {
  std::filesystem::path folder{};  ///< of all its files; exists
  /// Every resolved value of the experiment in the order of its file: ("optimizer.beta1", "0.5"), as TOML.
  std::vector<std::pair<std::string, std::string>> settings{};
  std::string library{};                   ///< that computes: "oneDNN 3.2.0, avx512_core_bf16"
  bool automatic = false;                  ///< the backend was chosen by "auto"
  std::vector<std::string> passed_over{};  ///< backends that "auto" would have preferred, and what they lack
  std::vector<std::string> operations{};  ///< names of the training operations, in the order of their metrics
  std::vector<std::string> classes{};     ///< names
  Shape image{};                          ///< {C, H, W}
  std::int64_t samples = 0;               ///< of the data set, without those that are held out
  std::int64_t iterations_per_epoch = 0;
  std::int64_t parameters = 0;  ///< trainable elements
  /// Iterations made by earlier executions, 0 for a new run. What was reported of later ones is void: they
  /// will be made again.
  std::int64_t iteration = 0;
  double elapsed = 0;                            ///< seconds of training of earlier executions
  double setup_s = 0;                            ///< seconds that this execution took to get here
  std::optional<std::int64_t> last_iteration{};  ///< with which the budget ends, where it says so
  std::optional<double> time{};                  ///< the budget's seconds of training, where it has them
};

/// One training operation, after an iteration.
struct OperationMetrics {
  std::string name{};
  double loss = 0;
  double loss_scale = 1;       ///< of that iteration
  std::int64_t skipped = 0;    ///< updates left out so far
  std::int64_t nonfinite = 0;  ///< runs so far in which its own loss or gradients were not finite
  double learning_rate = 0;    ///< of its latest update; of the first one where none was made yet
};

/// A run, after an iteration.
struct RunMetrics {
  std::int64_t iteration = 0;          ///< iterations made
  std::int64_t epoch = 0;              ///< of the last batch, from 0
  double elapsed = 0;                  ///< seconds of training, of all executions
  double images_per_s = 0;             ///< since the due metrics before these
  double mean_images_per_s = 0;        ///< of this execution, without its first iterations
  std::optional<std::int64_t> last{};  ///< iteration with which the budget ends, where it says so
  std::optional<double> time_used{};   ///< share of the budget's time, where it has one
  std::optional<double> left{};        ///< seconds to go, where that is known
  bool ends = false;                   ///< no more follow in this execution
  double input_wait_share = 0;         ///< of the timed iterations' time; NaN where none was timed
  double output_s = 0;                 ///< as in Summary, so far
  std::vector<OperationMetrics> operations{};
};

/// What the memory plan predicts, bytes.
struct PlannedBytes {
  std::uint64_t states = 0;     ///< parameters, moments, statistics, counters
  std::uint64_t arena = 0;      ///< values of one iteration and of one grid, after reuse
  std::uint64_t workspace = 0;  ///< scratch of the libraries
  std::uint64_t batches = 0;    ///< batches in flight, in host memory
  std::uint64_t snapshot = 0;   ///< of the states, from which a checkpoint is written, in host memory
  std::uint64_t total() const { return states + arena + workspace + batches + snapshot; }
};

/// What one kind of work of one layer takes.
struct WorkTime {
  std::string layer{};  ///< "g.deconv3", also of its gradients; empty outside of layers
  /// "contraction", "normalization", "pointwise" (with reductions and losses), "cast" (where nothing else is
  /// computed), "movement" (copies, reshapes, states), "random", "update" (finite checks, optimizer,
  /// averages, loss scales). Of a fused loop, the first of these that it has any of.
  std::string work{};
  double ms = 0;     ///< an iteration
  double flops = 0;  ///< an iteration
  double bytes = 0;  ///< an iteration, read and written
};

/// Where the time of an iteration with every phase goes: mean of a few that were timed step by step after the
/// training, which is slower than running them through.
struct WorkProfile {
  std::int64_t iterations = 0;    ///< that it is the mean of
  double ms = 0;                  ///< such an iteration, with the gaps between steps
  std::vector<WorkTime> times{};  ///< every kind of work of every layer, in the order in which they first run
};

/// What a run came to.
struct Summary : RunIdentity {
  std::string status{};  ///< "done", "interrupted" or "failed"
  std::string error{};   ///< of a failed run
  std::int64_t iterations = 0, samples = 0;
  double wall_s = 0;                   ///< seconds of training, of all executions of a resumed run
  double setup_s = 0;                  ///< before the first iteration
  double output_s = 0;                 ///< spent on image grids, checkpoints, the monitor and reporters
  std::int64_t warmup_iterations = 0;  ///< not part of the times below
  std::int64_t timed_iterations = 0;   ///< of this execution
  Quantiles ms_per_iteration{};        ///< NaN where no iteration was timed
  /// Where trials took turns ([sweep] order = "interleaved"): the median of each block that this execution
  /// trained, in order. Empty otherwise.
  std::vector<double> block_ms{};
  double input_wait_share = 0;  ///< of the timed iterations; NaN where there is none
  Disturbance disturbance{};    ///< while this execution trained
  /// Of the processors' packages, with what others did on them, while this execution trained and wrote;
  /// nullopt where the machine does not tell.
  std::optional<double> joules{};
  std::int64_t executed_iterations = 0;  ///< by this execution
  /// Of a device with memory of its own, all that the session held there; else resident memory, from the
  /// start of set-up or after a checkpoint was loaded. 0 where it was not measured.
  std::uint64_t peak_bytes = 0;
  PlannedBytes planned{};
  std::vector<OperationMetrics> operations{};  ///< of the last iteration
  /// Of a run that came to its end in native formats.
  std::optional<WorkProfile> profile{};
  /// Where [quality] asks for it; measured after the reporters have heard of the end.
  std::optional<Quality> quality{};

  // Of the median, as the milliseconds; NaN where no iteration was timed.
  double images_per_s() const {
    return 1000 * static_cast<double>(samples_per_iteration) / ms_per_iteration.median;
  }
  double ms_per_1000_samples() const {
    return 1000 * ms_per_iteration.median / static_cast<double>(samples_per_iteration);
  }
  /// NaN where the machine does not tell.
  double joules_per_1000_samples() const {
    const auto made = static_cast<double>(executed_iterations * samples_per_iteration);
    return joules && made > 0 ? 1000 * *joules / made : std::numeric_limits<double>::quiet_NaN();
  }
  /// Of so many iterations, in the price's currency; NaN without price or times.
  double cost(double made) const {
    return price ? price->of(ms_per_iteration.median, made) : std::numeric_limits<double>::quiet_NaN();
  }
  /// "done [disturbed]" where others slowed it.
  std::string marked_status() const { return disturbance.slowed() ? status + " [disturbed]" : status; }
  /// nullptr where the run has no training operation of this name.
  const OperationMetrics* operation(const std::string& name) const {
    const auto found = std::ranges::find(operations, name, &OperationMetrics::name);
    return found == operations.end() ? nullptr : &*found;
  }
};

}  // namespace halfling
