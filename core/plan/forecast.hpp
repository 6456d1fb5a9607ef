// SPDX-License-Identifier: Apache-2.0
// What a trial would need, told from its graphs: nothing is compiled, trained or downloaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halfling/error.hpp"
#include "plan/data_facts.hpp"
#include "plan/platform.hpp"

namespace halfling {

/// A contraction or normalization of a network, at its first use in an iteration.
struct Layer {
  std::string network;  ///< "g"
  std::string name;     ///< "g.deconv3"
  std::string op;       ///< "conv2d"
  Shape shape;          ///< of the result
  std::int64_t parameters = 0;
  DType io = DType::f32;       ///< that operands and results are stored in
  DType compute = DType::f32;  ///< that it computes and accumulates in
};

/// FLOPs and bytes of one iteration, the mean over iterations that run different phases; bytes as if every
/// operand were read and every result written once.
struct Work {
  double flops = 0;
  double bytes = 0;
};

/// Bytes on the device; temporaries are those of every variant of the iteration, each an executable of its
/// own. Activations, gradients and update temporaries are those alive at the step where most bytes are. What
/// a backend's libraries need besides is not known before it has compiled.
struct MemoryForecast {
  std::uint64_t parameters = 0;
  std::uint64_t optimizer = 0;
  std::uint64_t other_states = 0;  ///< statistics, loss scales, counters
  std::uint64_t activations = 0;
  std::uint64_t gradients = 0;
  std::uint64_t updates = 0;
  std::uint64_t grids = 0;    ///< temporaries of the graph that draws image grids
  std::uint64_t monitor = 0;  ///< temporaries of the numerics monitor's graph
  /// Of the states, from which checkpoints are written; 0 where the device has memory of its own, as it lies
  /// in the host's.
  std::uint64_t snapshot = 0;
  std::uint64_t states() const { return parameters + optimizer + other_states; }
  std::uint64_t temporaries() const { return activations + gradients + updates; }
  std::uint64_t total() const { return states() + temporaries() + grids + monitor + snapshot; }
};

struct Forecast {
  std::vector<Layer> layers;            ///< in order of first use
  std::vector<std::string> operations;  ///< training operations, in order
  std::int64_t parameters = 0;          ///< trainable elements
  Work forward, backward, update;       ///< per iteration
  std::int64_t casts = 0;               ///< between float formats, per iteration, the mean rounded
  Work cast_work;                       ///< of those, counted in the three above, too
  MemoryForecast memory;
  std::int64_t largest_batch = 0;  ///< that fits the device's memory; 0 where its size is unknown
  std::int64_t samples_per_iteration = 0;
  std::int64_t variants = 1;  ///< iterations that differ in the phases that run
  Work work() const {
    return {forward.flops + backward.flops + update.flops, forward.bytes + backward.bytes + update.bytes};
  }
};

/// The experiment must have passed a Preflight, which gives platform and data.
Forecast forecast(const Experiment& experiment, const Registry& registry, const Platform& platform,
                  const DataFacts& data);

/// The trial's memory against its device's, for people: what is predicted, what there is, and the largest
/// batch that is predicted to fit.
Error memory_error(std::string what, const Experiment& experiment, const Forecast& forecast,
                   const Platform& platform);

/// The memory_error of a trial that is predicted to need more than its device has. nullopt where it fits, and
/// where the device does not tell its memory.
std::optional<Error> memory_refusal(const Experiment& experiment, const Registry& registry,
                                    const Platform& platform, const DataFacts& data);

}  // namespace halfling
