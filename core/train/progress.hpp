// SPDX-License-Identifier: Apache-2.0
// What people see on stderr while a run goes on: one status line that is written over on a terminal (at most
// ten times a second), a plain line every ten seconds elsewhere. No colour at all, so NO_COLOR is honoured.
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "halfling/run.hpp"

namespace halfling {

/// What a status line says of the trial beside its metrics.
struct StatusFrame {
  std::string place;  ///< in the sweep: "[2/6]"; empty for a single trial
  std::string mark;   ///< "[f16 emulated]"; empty for what is native
};

/// "[2/6]  it 1200/5000  d 1.312  g 0.8040  q 2.207  scale 65536  skipped 3  3210 images/s  4:32 left". What
/// matters least is left out where `width` is too small; speed, time left and mark stay.
std::string status_text(const RunMetrics& metrics, const StatusFrame& frame = {},
                        std::size_t width = std::numeric_limits<std::size_t>::max());
/// "1.312", "1.000e+24", "nan" (without a sign), "inf": four digits of a loss.
std::string number_text(double value);
/// "1:02:03", "4:32", "0:07"; seconds are rounded up.
std::string clock_text(double seconds);

class Progress {
 public:
  enum class Mode { quiet, plain, terminal };
  /// Terminal where stderr is one that can go back in a line, else plain.
  static Mode mode_of_stderr();

  explicit Progress(Mode mode) : mode_(mode) {}
  ~Progress() { end_line(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A line of its own; nothing under Mode::quiet. Control characters are escaped.
  void note(const std::string& line);
  /// The next trial, and its place in the sweep.
  void title(const std::string& line, std::string place);
  /// What is to be known of the trial, in one line: of these parts, those that are not as in the trial
  /// before. The same index is the same kind of part; parts may be empty.
  void head(std::vector<std::string> parts);
  /// Begins the trial's status lines.
  void begin(std::string mark);
  /// Whether it is time for a status line.
  bool due() const;
  void show(const RunMetrics& metrics);
  /// Leaves the status line, so that what follows begins a new one.
  void end_line();

 private:
  using Clock = std::chrono::steady_clock;
  Mode mode_;
  StatusFrame frame_;
  std::vector<std::string> head_;  ///< of the trial before
  Clock::time_point next_ = Clock::now();
  bool line_open_ = false;
};

}  // namespace halfling
