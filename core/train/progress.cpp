// SPDX-License-Identifier: Apache-2.0
#include "train/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/printable.hpp"

namespace halfling {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

/// A part of the status line. At a narrow terminal the least important ones go first; 0 stays.
struct Field {
  std::string text;
  int importance = 0;
};

enum Importance { always, least, scale, time_share, loss, sweep, skips, iteration };

std::string scales_text(const std::vector<OperationMetrics>& operations) {
  if (operations.empty()) return {};
  const auto [low, high] = std::ranges::minmax(operations, {}, &OperationMetrics::loss_scale);
  if (low.loss_scale == 1 && high.loss_scale == 1) return {};  // no loss scaling
  if (low.loss_scale == high.loss_scale) return fmt::format("scale {:g}", low.loss_scale);
  std::string text = "scale";
  for (const OperationMetrics& operation : operations)
    text += fmt::format(" {} {:g}", printable(operation.name), operation.loss_scale);
  return text;
}

std::string iteration_text(const RunMetrics& metrics) {
  constexpr std::int64_t countable = 1'000'000'000;  // more is no budget that anybody set
  if (!metrics.last || *metrics.last > countable) return fmt::format("it {}", metrics.iteration);
  return fmt::format("it {}/{}", metrics.iteration, *metrics.last);
}

std::vector<Field> fields_of(const RunMetrics& metrics, const StatusFrame& frame) {
  std::vector<Field> fields{{frame.place, sweep}, {iteration_text(metrics), iteration}};
  if (metrics.time_used) fields.push_back({fmt::format("{:.0f}%", 100 * *metrics.time_used), time_share});
  std::int64_t skipped = 0, nonfinite = 0;
  for (const OperationMetrics& operation : metrics.operations) {
    fields.push_back({fmt::format("{} {}", printable(operation.name), number_text(operation.loss)), loss});
    skipped += operation.skipped;
    nonfinite += operation.nonfinite;
  }
  fields.push_back({scales_text(metrics.operations), scale});
  if (skipped > 0) fields.push_back({fmt::format("skipped {}", skipped), skips});
  if (nonfinite > 0 && nonfinite != skipped)  // otherwise all were skipped for their own
    fields.push_back({fmt::format("nonfinite {}", nonfinite), least});
  fields.push_back({fmt::format("{:.0f} images/s", metrics.mean_images_per_s), always});
  if (metrics.left) fields.push_back({clock_text(*metrics.left) + " left", always});
  fields.push_back({frame.mark, always});
  std::erase_if(fields, [](const Field& field) { return field.text.empty(); });
  return fields;
}

std::string joined(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) text += (text.empty() ? "" : "  ") + field.text;
  return text;
}

/// The last one of those that matter least; false where all must stay.
bool drop_one(std::vector<Field>& fields) {
  auto least_of = fields.end();
  for (auto field = fields.begin(); field != fields.end(); ++field)
    if (field->importance != always &&
        (least_of == fields.end() || field->importance <= least_of->importance))
      least_of = field;
  if (least_of == fields.end()) return false;
  fields.erase(least_of);
  return true;
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

std::string status_text(const RunMetrics& metrics, const StatusFrame& frame, std::size_t width) {
  std::vector<Field> fields = fields_of(metrics, frame);
  std::string text = joined(fields);
  while (text.size() > width && drop_one(fields)) text = joined(fields);
  return text.substr(0, width);
}

Progress::Mode Progress::mode_of_stderr() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) && !dumb ? Mode::terminal : Mode::plain;
}

void Progress::note(const std::string& line) {
  end_line();
  if (mode_ != Mode::quiet) std::cerr << printable(line) << "\n";
}

void Progress::title(const std::string& line, std::string place) {
  frame_.place = std::move(place);
  note(line);
}

void Progress::head(std::vector<std::string> parts) {
  std::string line;
  head_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty() && parts[i] != head_[i]) line += (line.empty() ? "  " : "; ") + parts[i];
  head_ = std::move(parts);
  if (!line.empty()) note(line);
}

void Progress::begin(std::string mark) {
  frame_.mark = mark.empty() ? "" : "[" + mark + "]";
  next_ = Clock::now();
}

bool Progress::due() const {
  return mode_ != Mode::quiet && Clock::now() >= next_;
}

void Progress::show(const RunMetrics& metrics) {
  using namespace std::chrono_literals;
  if (mode_ == Mode::terminal) {
    // The last column stays free: many terminals wrap when it is filled. "\x1b[K" clears what was longer.
    const std::size_t width = terminal_width() - 1;
    std::cerr << "\r" << status_text(metrics, frame_, width) << "\x1b[K" << std::flush;
    line_open_ = true;
    next_ = Clock::now() + 100ms;
  } else if (mode_ == Mode::plain) {
    std::cerr << status_text(metrics, frame_) << "\n";
    next_ = Clock::now() + 10s;
  }
}

void Progress::end_line() {
  if (line_open_) std::cerr << "\n";
  line_open_ = false;
}

}  // namespace halfling
