// SPDX-License-Identifier: Apache-2.0
// Everything that is wrong with an experiment, told in one go.
//
//   experiments/a.toml:3:1: error[E010]: unknown key "optimizer.learning_rte"
//      3 | learning_rte = 2e-4
//        | ^^^^^^^^^^^^
//        = expected: use, learning_rate, beta1, beta2, epsilon
//        = hint: did you mean "learning_rate"?
#pragma once

#include <set>
#include <string>
#include <vector>

#include "experiment/source.hpp"
#include "halfling/error.hpp"

namespace halfling {

/// Codes are stable: a number never changes its meaning.
enum class Fault : int {
  unreadable = 1,     ///< no such file, a directory, no permission, not UTF-8
  syntax = 2,         ///< not TOML
  extends = 3,        ///< not a list of files, or a file extends itself
  override_form = 4,  ///< --set is not KEY=VALUE
  sweep = 5,          ///< [sweep.matrix] is malformed
  unknown_key = 10,
  unknown_plugin = 11,
  missing_key = 12,
  wrong_type = 13,
  out_of_range = 14,
  not_a_choice = 15,
  wrong_unit = 16,  ///< a duration, size or interval that cannot be read
  bad_value = 17,   ///< an empty or unusable text, a number that is not finite
  reference = 18,   ///< "${vars.NAME}" or [vars]
  list_edit = 19,   ///< key.append or key.remove
  meaning = 20,     ///< values that the language allows, and a plugin or the training does not
};

struct Diagnostic {
  Fault fault{};
  std::string place;              ///< "experiments/a.toml:3:1"
  std::string message;            ///< without a full stop
  std::string line;               ///< the source line; empty where there is none
  std::uint32_t line_number = 0;  ///< 0: not shown
  std::uint32_t column = 0;       ///< from 1, in code points
  std::uint32_t length = 0;
  std::string where, got;  ///< what a plugin said besides; empty in faults of the language
  std::string expected;
  std::string hint;
  std::string trial;  ///< where only some trials of a sweep have it: which

  std::string code() const;  ///< "E010"
  std::string text() const;  ///< several lines, without a line break at the end
};

/// what(): the first twenty diagnostics and the number of the others.
class DiagnosticsError : public Error {
 public:
  explicit DiagnosticsError(std::vector<Diagnostic> diagnostics);
  ~DiagnosticsError() override;
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

namespace config {

/// Collects diagnostics, up to a thousand; the same fault at the same place is kept once, with the trials
/// that have it.
class Diagnostics {
 public:
  /// The parts of a diagnostic that a check supplies.
  struct Report {
    Fault fault;
    Place place;
    std::string message;
    std::string expected = {};
    std::string hint = {};
    std::string where = {};
    std::string got = {};
  };
  void add(const Report& report);
  /// What follows concerns this trial of a sweep; number from 1.
  void begin_trial(std::size_t number, std::size_t of, std::string label);
  bool empty() const { return entries_.empty(); }
  /// What is wrong at this place follows from a fault that is reported elsewhere, and needs no telling.
  void mute(const Place& place) { muted_.push_back(place); }
  /// An argument or a sweep could not be read: what is missing may have stood there.
  bool incomplete() const;
  /// Throws DiagnosticsError unless empty. In the order of the files, then of their lines.
  void raise() const;

 private:
  struct Entry {
    Diagnostic diagnostic;
    std::vector<std::size_t> trials;
    std::string first_label;
    Place place;
  };
  std::vector<Entry> entries_;
  std::vector<Place> muted_;
  std::size_t trial_ = 0, trials_ = 0;
  std::string label_;
};

}  // namespace config

}  // namespace halfling
