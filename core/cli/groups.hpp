// SPDX-License-Identifier: Apache-2.0
// Which runs may be compared: those that differ in precision alone make a group, and those of a group that
// differ in the seed alone are one setting, of which means are told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "run/summary.hpp"

namespace halfling::cli {

/// A trial that was run, and what tells it from the others.
struct ComparedRun {
  Summary summary;
  std::size_t number = 0;  ///< of the trial, from 1
  std::uint64_t seed = 0;
  std::string precision;  ///< the values of [precision]
  std::string others;     ///< all other values but the seed, and what computed
};

ComparedRun compared(const Experiment& trial, std::size_t number, Summary summary);

/// Mean over seeds, and their standard deviation, NaN for a single one.
struct Spread {
  double mean = 0, deviation = 0;
};

struct Setting {
  std::string name;                     ///< the label, without the seed where there are several
  std::vector<ComparedRun> runs;        ///< at least one; they ended alike
  std::string baseline;                 ///< the setting that the ratios are to; empty: none may be told
  std::optional<double> speed, memory;  ///< how many times the baseline's images a second and peak memory

  const Summary& first() const { return runs.front().summary; }
  template <class Figure>
  Spread spread(Figure figure) const {
    std::vector<double> values;
    for (const ComparedRun& run : runs) values.push_back(figure(run.summary));
    return spread_of(values);
  }
  static Spread spread_of(const std::vector<double>& values);
};

/// Settings by group, groups and settings in the order in which their first runs come. The baseline of a
/// group is its run in fp32, or the one that `wanted` names. There is no ratio to or from a run that emulates
/// a format.
std::vector<Setting> settings_of(const std::vector<ComparedRun>& runs, const std::string& wanted);

/// Throws Error (usage) where `wanted`, if it is not empty, names no trial, or several that differ in
/// precision alone. It is a part of a label or several ("precision.use=tf32"), or the name of a policy.
void check_baseline(const std::vector<Experiment>& trials, const std::string& wanted);

}  // namespace halfling::cli
