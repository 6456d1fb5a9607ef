// SPDX-License-Identifier: Apache-2.0
// What a trial would need, told from its graphs: nothing is compiled, trained or downloaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfling/error.hpp"
#include "train/preflight.hpp"

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

/// FLOPs and bytes of one iteration; bytes as if every operand were read and every result written once.
struct Work {
  double flops = 0;
  double bytes = 0;
};

/// Bytes on the device. Activations, gradients and update temporaries are those alive at the step where most
/// bytes are. What a backend's libraries need besides is not known before it has compiled.
struct MemoryForecast {
  std::uint64_t parameters = 0;
  std::uint64_t optimizer = 0;
  std::uint64_t other_states = 0;  ///< statistics, loss scales, counters
  std::uint64_t activations = 0;
  std::uint64_t gradients = 0;
  std::uint64_t updates = 0;
  std::uint64_t states() const { return parameters + optimizer + other_states; }
  std::uint64_t temporaries() const { return activations + gradients + updates; }
  std::uint64_t total() const { return states() + temporaries(); }
};

struct Forecast {
  std::vector<Layer> layers;            ///< in order of first use
  std::vector<std::string> operations;  ///< training operations, in order
  std::int64_t parameters = 0;          ///< trainable elements
  Work forward, backward, update;       ///< per iteration
  std::int64_t casts = 0;               ///< between float formats, per iteration
  Work cast_work;                       ///< of those, counted in the three above, too
  MemoryForecast memory;
  std::int64_t largest_batch = 0;  ///< that fits the device's memory; 0 where its size is unknown
  Work work() const {
    return {forward.flops + backward.flops + update.flops, forward.bytes + backward.bytes + update.bytes};
  }
};

/// The experiment must have passed a Preflight, which gives engine and data.
Forecast forecast(const Experiment& experiment, const Registry& registry, const Engine& engine,
                  const DataFacts& data);

/// The trial's memory against its device's, for people: what is predicted, what there is, and the largest
/// batch that is predicted to fit.
Error memory_error(std::string what, const Experiment& experiment, const Forecast& forecast,
                   const Engine& engine);

/// Throws the memory_error (usage) where a trial is predicted to need more than its device has.
void check_memory(const Experiment& experiment, const Registry& registry, const Engine& engine,
                  const DataFacts& data);

}  // namespace halfling
