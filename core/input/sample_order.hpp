// SPDX-License-Identifier: Apache-2.0
// The order of an epoch's samples: a keyed permutation that any thread can evaluate at any place.
#pragma once

#include <cstdint>

namespace halfling {

/// A permutation of 0 … size-1 for each epoch, from a generalised Feistel network over Z_a x Z_b, a·b >= size
/// (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002), with Philox as its round function and
/// cycle walking. It needs no memory, so that seeking costs nothing and 50 million samples cost no more
/// than 50. Up to 64 samples are shuffled by Fisher and Yates, so that every order is as likely as any other.
class SampleOrder {
 public:
  /// size from 1 to 2^62.
  SampleOrder(std::int64_t size, std::uint64_t seed, bool shuffle);
  /// The sample at `position` (0 <= position < size) of an epoch. Thread-safe.
  std::int64_t at(std::int64_t epoch, std::int64_t position) const;

 private:
  std::uint64_t shuffled(std::uint64_t position, std::uint64_t epoch) const;
  std::uint64_t permute(std::uint64_t value, std::uint64_t epoch) const;

  std::uint64_t size_, seed_, rows_, columns_;
  bool shuffle_;
};

}  // namespace halfling
