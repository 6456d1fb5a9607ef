// SPDX-License-Identifier: Apache-2.0
// What people see on stderr while a run goes on: one status line that is written over on a terminal (at most
// ten times a second), a plain line every ten seconds elsewhere. No colour at all, so NO_COLOR is honoured.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "report/figures.hpp"

namespace halfling {

/// "it 1200  d 1.312  g 0.8040  q 2.207  scale 65536  skipped 3  3210 images/s  4:32 left".
std::string status_text(const RunFigures& figures);
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

  /// A line of its own; nothing under Mode::quiet.
  void note(const std::string& line);
  /// Begins a trial; a mark such as "f16 emulated" ends each of its status lines.
  void begin(std::string mark);
  /// Whether it is time for a status line.
  bool due() const;
  void show(const RunFigures& figures);
  /// Leaves the status line, so that what follows begins a new one.
  void end_line();

 private:
  using Clock = std::chrono::steady_clock;
  Mode mode_;
  std::string mark_;
  Clock::time_point next_ = Clock::now();
  bool line_open_ = false;
};

}  // namespace halfling
