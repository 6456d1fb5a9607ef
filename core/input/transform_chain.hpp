// SPDX-License-Identifier: Apache-2.0
// The transforms of an experiment, one after the other, over the samples of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halfling/transform.hpp"

namespace halfling {

struct Experiment;
class Registry;

struct NamedTransform {
  std::string name;  ///< unique in its chain: what is random depends on it, not on the place
  std::unique_ptr<Transform> transform;
};

/// In the order of the experiment. Throws Error (usage) as the plugins do, with the element as `where`.
std::vector<NamedTransform> make_transforms(const Experiment& experiment, const Registry& registry);

/// Which random numbers a sample gets.
struct Draw {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t sample = 0;  ///< index in the data set
};

/// Immutable once made, and thread-safe.
class TransformChain {
 public:
  /// For samples of the format `input`. Throws Error (usage) where a transform does not take what it would
  /// get; `where` is the element: "transform.NAME", or its option.
  explicit TransformChain(const SampleFormat& input, std::vector<NamedTransform> transforms = {});

  const SampleFormat& output() const { return formats_.back(); }
  bool empty() const { return transforms_.empty(); }
  /// Of the memory between transforms: two samples of the largest format that occurs before the last.
  std::size_t scratch_bytes() const { return 2 * largest_; }

  /// Where a sample is to be put so that `apply` can take it: `to` itself where there are no transforms.
  std::span<std::byte> source(std::span<std::byte> to, std::span<std::byte> scratch) const;
  /// Transforms what lies in source(to, scratch), and writes `to`, of output().bytes(). `scratch` is of
  /// scratch_bytes().
  void apply(std::span<std::byte> to, std::span<std::byte> scratch, const Draw& draw) const;

 private:
  std::vector<NamedTransform> transforms_;
  std::vector<std::uint32_t> streams_;  ///< by transform
  std::vector<SampleFormat> formats_;   ///< before each transform, then after the last
  std::size_t largest_ = 0;
};

}  // namespace halfling
