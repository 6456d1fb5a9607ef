// SPDX-License-Identifier: Apache-2.0
// What is compared: runs that differ in the seed alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/run_record.hpp"

namespace halfling {

/// Mean over runs, and their standard deviation, NaN for a single one.
struct Spread {
  double mean = 0, deviation = 0;
};

/// Runs whose values differ in the seed alone. What is only how long a run trains and what it writes down
/// (budget, sample, metrics, monitor, checkpoint) and its name and price are no part of a setting.
struct Setting {
  std::string name;       ///< tells it from the report's others: "mixed (bf16), batch 64"
  std::string precision;  ///< "fp32", "mixed (bf16)"
  std::string others;     ///< the name without precision and batch size, mostly empty
  std::string policy;     ///< precision.use
  std::string family;     ///< all its values but precision and batch size, and the device: settings of one
                          ///< family and batch size may be compared
  std::int64_t batch_size = 0;
  std::span<const RunRecord> runs;  ///< at least one

  const Summary& first() const { return runs.front().summary; }
  bool native() const;
  /// Native, and some run has times and did not fail.
  bool timed() const;
  /// Of the price that all its runs have.
  std::optional<Price> price() const;
  template <class Figure>
  Spread spread(Figure figure) const {
    std::vector<double> values;
    for (const RunRecord& run : runs) values.push_back(figure(run.summary));
    return spread_of(values);
  }
  /// What is NaN is left out.
  static Spread spread_of(const std::vector<double>& values);
  Spread ms() const;  ///< median milliseconds an iteration
  /// Of so many iterations; NaN without price or times.
  double cost(double iterations) const;
};

/// Native, with times, and it did not fail.
bool has_times(const RunRecord& run);

}  // namespace halfling
