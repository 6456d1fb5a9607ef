// SPDX-License-Identifier: Apache-2.0
#include "experiment/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/printable.hpp"

namespace halfling {

std::string Diagnostic::code() const {
  return fmt::format("E{:03}", static_cast<int>(fault));
}

namespace {

using config::code_point_slice;
using config::code_points;

constexpr std::uint32_t widest = 160;  ///< of a line that is shown, in code points

/// A line as it is shown: control characters escaped, and of a very long line the part around the caret.
struct ShownLine {
  std::string text;
  std::string carets;  ///< tabs stay tabs, so that the caret stands under its column in any terminal
};

ShownLine shown_line(const Diagnostic& d) {
  const std::uint32_t width = code_points(d.line);
  const std::uint32_t column = std::min(d.column - 1, width);
  const std::uint32_t first = width <= widest || column < widest / 2 ? 0 : column - widest / 2;
  const std::uint32_t count = std::min(width - first, widest);
  ShownLine shown;
  if (first > 0) shown.text = "...", shown.carets = "   ";
  for (std::uint32_t i = first; i < column; ++i) {
    const std::string_view point = code_point_slice(d.line, i, 1);
    shown.carets += point == "\t" ? "\t" : std::string(code_points(printable(point)), ' ');
  }
  shown.text += printable(code_point_slice(d.line, first, count));
  if (first + count < width) shown.text += "...";
  shown.carets.append(d.column - 1 - column, ' ');
  const std::uint32_t length = std::clamp(d.length, 1u, std::max(first + count - column, 1u));
  const std::uint32_t under = code_points(printable(code_point_slice(d.line, column, length)));
  shown.carets.append(std::max(under, 1u), '^');
  return shown;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string result = fmt::format("{}: error[{}]: {}", printable(place), code(), printable(message));
  const std::string number = line_number ? std::to_string(line_number) : "";
  const std::string margin(std::max<std::size_t>(number.size(), 4), ' ');
  if (!line.empty()) {
    const ShownLine shown = shown_line(*this);
    result += fmt::format("\n{:>4} | {}\n{} | {}", number, shown.text, margin, shown.carets);
  }
  if (!where.empty()) result += fmt::format("\n{} = where: {}", margin, printable(where));
  if (!got.empty()) result += fmt::format("\n{} = got: {}", margin, printable(got));
  if (!expected.empty()) result += fmt::format("\n{} = expected: {}", margin, printable(expected));
  if (!hint.empty()) result += fmt::format("\n{} = hint: {}", margin, printable(hint));
  if (!trial.empty()) result += fmt::format("\n{} = in {}", margin, printable(trial));
  return result;
}

namespace {

constexpr std::size_t most_shown = 20;
constexpr std::size_t most_kept = 1000;  // a file with more is no experiment, and each is compared with all

ErrorDetails details_of(const std::vector<Diagnostic>& diagnostics) {
  ErrorDetails details;
  details.kind = ErrorKind::usage;
  for (std::size_t i = 0; i < std::min(most_shown, diagnostics.size()); ++i)
    details.what += (i ? "\n\n" : "") + diagnostics[i].text();
  if (diagnostics.size() > most_shown)
    details.what +=
        fmt::format("\n\n... and {}{} more errors", diagnostics.size() < most_kept ? "" : "at least ",
                    diagnostics.size() - most_shown);
  return details;
}

}  // namespace

DiagnosticsError::DiagnosticsError(std::vector<Diagnostic> diagnostics)
    : Error(details_of(diagnostics)), diagnostics_(std::move(diagnostics)) {}

DiagnosticsError::~DiagnosticsError() = default;

namespace config {

void Diagnostics::begin_trial(std::size_t number, std::size_t of, std::string label) {
  trial_ = number;
  trials_ = of;
  label_ = std::move(label);
}

bool Diagnostics::incomplete() const {
  return std::ranges::any_of(entries_, [](const Entry& e) {
    const Fault fault = e.diagnostic.fault;
    return fault == Fault::override_form || fault == Fault::sweep ||
           (fault == Fault::syntax && e.place.source && !e.place.source->file);
  });
}

void Diagnostics::add(const Report& report) {
  if (entries_.size() == most_kept) return;
  Diagnostic d;
  d.fault = report.fault;
  d.place = text_of(report.place);
  d.message = report.message;
  d.expected = report.expected;
  d.hint = report.hint;
  d.where = report.where;
  d.got = report.got;
  if (report.place.source && report.place.line) {
    d.line = line_of(report.place);
    d.line_number = report.place.source->file ? report.place.line : 0;
    d.column = report.place.column;
    d.length = report.place.length;
  }
  if (report.fault != Fault::reference && std::ranges::find(muted_, report.place) != muted_.end()) return;
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.diagnostic.fault == d.fault && e.diagnostic.place == d.place &&
           e.diagnostic.column == d.column && e.diagnostic.message == d.message;
  });
  if (same == entries_.end()) {
    entries_.push_back({std::move(d), {trial_}, label_, report.place});

  } else if (same->trials.back() != trial_) {
    same->trials.push_back(trial_);
  }
}

void Diagnostics::raise() const {
  if (empty()) return;
  std::vector<Entry> sorted = entries_;
  const auto rank = [](const Entry& e) {
    return std::tuple(e.place.source ? e.place.source->order : 0, e.place.line, e.place.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
  std::vector<Diagnostic> result;
  for (const Entry& entry : sorted) {
    result.push_back(entry.diagnostic);
    if (entry.trials.front() == 0 || entry.trials.size() == trials_) continue;
    result.back().trial = fmt::format("trial {} of {}: {}", entry.trials.front(), trials_, entry.first_label);
    if (entry.trials.size() > 1)
      result.back().trial += fmt::format(" (and {} more)", entry.trials.size() - 1);
  }
  throw DiagnosticsError(std::move(result));
}

}  // namespace config
}  // namespace halfling
