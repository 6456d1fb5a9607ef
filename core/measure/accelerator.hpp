// SPDX-License-Identifier: Apache-2.0
// What devices can do at best: a catalogue of data sheets, for predictions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace halfling {

/// FLOP/s are of large products, accumulated in single precision; 0: the device does not have the format.
struct Rates {
  double f32 = 0, tf32 = 0, half = 0;
  double bandwidth = 0;  ///< bytes/s
  double launch_s = 0;   ///< until a step has begun, where the one before it has ended
  int processors = 1;    ///< that share a product, a tile each
  /// Shares of all these that an iteration gets, see predicted_seconds(): of single precision, of TF32 and
  /// half, of bandwidth.
  double single_share = 1, half_share = 1, bandwidth_share = 1;
};

struct Accelerator {
  std::string name;   ///< "t4"
  std::string what;   ///< "NVIDIA T4, 70 W"
  double memory = 0;  ///< bytes
  Rates rates;
  std::string price;  ///< a name of the price list; empty: none is known
  std::string source, date;
};

/// `file` is for messages. Throws Error (usage) for what is no catalogue.
std::vector<Accelerator> parse_accelerators(const std::string& toml, const std::string& file);

/// Those of the file at `own`, where there is one, then the shipped ones of other names.
std::vector<Accelerator> known_accelerators(const std::optional<std::filesystem::path>& own);

}  // namespace halfling
