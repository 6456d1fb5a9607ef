// SPDX-License-Identifier: Apache-2.0
#include "report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace halfling {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string scales_text(const std::vector<OperationFigures>& operations) {
  const auto [low, high] = std::ranges::minmax(operations, {}, &OperationFigures::scale);
  if (low.scale == 1 && high.scale == 1) return {};  // no loss scaling
  if (low.scale == high.scale) return fmt::format("  scale {:g}", low.scale);
  std::string text = "  scale ";
  for (const OperationFigures& operation : operations)
    text += fmt::format("{}{} {:g}", &operation == &operations.front() ? "" : " ", operation.name,
                        operation.scale);
  return text;
}

}  // namespace

std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:#.4g}", value);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string status_text(const RunFigures& figures) {
  std::string text = fmt::format("it {}", figures.iteration);
  std::int64_t skipped = 0, found = 0;
  for (const OperationFigures& operation : figures.operations) {
    text += fmt::format("  {} {}", operation.name, number_text(operation.loss));
    skipped += operation.skipped;
    found += operation.found;
  }
  if (!figures.operations.empty()) text += scales_text(figures.operations);
  if (skipped > 0) text += fmt::format("  skipped {}", skipped);
  if (found > 0 && found != skipped)
    text += fmt::format("  found {}", found);  // skipped together with others
  text += fmt::format("  {:.0f} images/s", figures.images_per_s);
  if (figures.left) text += "  " + clock_text(*figures.left) + " left";
  return text;
}

Progress::Mode Progress::mode_of_stderr() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) && !dumb ? Mode::terminal : Mode::plain;
}

void Progress::note(const std::string& line) {
  end_line();
  if (mode_ != Mode::quiet) std::cerr << line << "\n";
}

void Progress::begin(std::string mark) {
  mark_ = std::move(mark);
  next_ = Clock::now();
}

bool Progress::due() const {
  return mode_ != Mode::quiet && Clock::now() >= next_;
}

void Progress::show(const RunFigures& figures) {
  using namespace std::chrono_literals;
  std::string text = status_text(figures);
  if (!mark_.empty()) text += "  [" + mark_ + "]";
  if (mode_ == Mode::terminal) {
    // The last column stays free: many terminals wrap when it is filled. "\x1b[K" clears what was longer.
    std::cerr << "\r" << text.substr(0, terminal_width() - 1) << "\x1b[K" << std::flush;
    line_open_ = true;
    next_ = Clock::now() + 100ms;
  } else if (mode_ == Mode::plain) {
    std::cerr << text << "\n";
    next_ = Clock::now() + 10s;
  }
}

void Progress::end_line() {
  if (line_open_) std::cerr << "\n";
  line_open_ = false;
}

}  // namespace halfling
