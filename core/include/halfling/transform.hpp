// SPDX-License-Identifier: Apache-2.0
// Plugin kind "transform": changes a sample on its way from the data set to the batch. An experiment has any
// number of them, [[transform]], and each gets what the one before it wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "halfling/dtype.hpp"
#include "halfling/plugin.hpp"
#include "halfling/sample_random.hpp"
#include "halfling/shape.hpp"
#include "halfling/value_range.hpp"

namespace halfling {

/// What all samples at one place of the chain are: C·H·W elements in C, H, W order.
struct SampleFormat {
  Shape shape;              ///< {C, H, W}
  DType dtype = DType::u8;  ///< 0 = black, 255 = white; core carries no other one yet
  /// Of the bytes, in the networks. None: [0, 1]; in the output of a transform: as in its input.
  std::optional<ValueRange> values = {};
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
  bool operator==(const SampleFormat&) const = default;
};

class HALFLING_API Transform : public Component {
 public:
  static constexpr const char* kind = "transform";

  /// What `apply` writes for samples of the format `input`; asked before anything is allocated. Throws Error
  /// (usage) where the options do not fit the input, with the option as `where`: "transform.size", whatever
  /// the element's name.
  virtual SampleFormat output(const SampleFormat& input) const { return input; }
  /// Writes the whole of `to`, of the format output(format), from a sample of this format; the two do not
  /// overlap. What is random comes from `random` alone, so that a run does not depend on who reads which
  /// sample. Thread-safe: called from several threads at once.
  virtual void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
                     SampleRandom& random) const = 0;
};

}  // namespace halfling
