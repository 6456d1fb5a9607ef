// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>

#include "halfling/error.hpp"
#include "report/atomic_file.hpp"
#include "report/html.hpp"
#include "report/report_figures.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<std::string>>;

std::string number(const char* format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::string percent(double share) {
  return share == 0       ? "0"
         : share < 0.0005 ? fmt::format("{:.1e} %", 100 * share)
                          : fmt::format("{:.1f} %", 100 * share);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string summary_table(const std::vector<RunRecord>& runs) {
  Rows rows{{"run", "trial", "status", "backend", "precision", "batch", "iterations", "ms/iteration",
             "images/s", "peak MiB"}};
  for (const RunRecord& run : runs) {
    const Summary& s = run.summary;
    rows.push_back({run.title(), s.trial, s.status, s.backend, s.precision, std::to_string(s.batch_size),
                    std::to_string(s.iterations), number("{:.2f}", s.ms_per_iteration.median),
                    number("{:.0f}", s.images_per_s),
                    fmt::format("{:.0f}", static_cast<double>(s.peak_bytes) / (1 << 20))});
  }
  return html::table(rows);
}

/// A table of its own: beside the columns above it would be wider than a screen.
std::string operations_table(const std::vector<RunRecord>& runs) {
  Rows rows{{"run"}};
  for (const OperationFigures& operation : runs.front().summary.operations)
    for (const char* what : {"loss ", "scale ", "skipped "}) rows[0].push_back(what + operation.name);
  for (const RunRecord& run : runs) {
    rows.push_back({run.title()});
    for (const OperationFigures& operation : run.summary.operations) {
      rows.back().push_back(number("{:#.4g}", operation.loss));
      rows.back().push_back(number("{:g}", operation.scale));
      rows.back().push_back(std::to_string(operation.skipped));
    }
  }
  return html::table(rows);
}

/// Of all gradients of a training operation together, in every iteration that was observed.
struct Lost {
  double elements = 0, underflow = 0, subnormal = 0, overflow = 0;
};

Lost lost_by(const RunRecord& run, const std::string& operation) {
  Lost lost;
  for (const Observation& o : run.observations) {
    if (o.operation != operation) continue;
    const HalfShares shares = o.exact.shares(o.judged_in);
    const auto nonzero = static_cast<double>(o.exact.elements() - o.exact.zeros());
    const auto all = static_cast<double>(o.exact.elements());
    lost.elements += nonzero;
    lost.underflow += shares.underflow * all;
    lost.subnormal += shares.subnormal * all;
    lost.overflow += (shares.overflow + shares.nonfinite) * all;
  }
  return lost;
}

std::string lost_table(const std::vector<RunRecord>& runs) {
  Rows rows{{"run"}};
  for (const OperationFigures& operation : runs.front().summary.operations)
    for (const char* what : {": to zero", ": subnormal", ": to infinity"})
      rows[0].push_back(operation.name + what);
  for (const RunRecord& run : runs) {
    rows.push_back({run.title()});
    for (const OperationFigures& operation : runs.front().summary.operations) {
      const Lost lost = lost_by(run, operation.name);
      for (const double count : {lost.underflow, lost.subnormal, lost.overflow})
        rows.back().push_back(lost.elements > 0 ? percent(count / lost.elements) : "-");
    }
  }
  return html::table(rows);
}

std::string value_table(const std::vector<Observation>& observations) {
  Rows rows{{"value", "stored in", "judged in", "scale", "elements", "zero before", "to zero", "subnormal",
             "to infinity", "zero after"}};
  for (const Observation& o : observations) {
    const HalfShares shares = o.exact.shares(o.judged_in);
    const auto all = static_cast<double>(std::max<std::int64_t>(o.exact.elements(), 1));
    rows.push_back({o.value, std::string(name_of(o.format)), std::string(name_of(o.judged_in)),
                    fmt::format("{:g}", o.scale), std::to_string(o.exact.elements()), percent(shares.zero),
                    percent(shares.underflow), percent(shares.subnormal),
                    percent(shares.overflow + shares.nonfinite),
                    percent(static_cast<double>(o.stored_zeros) / all)});
  }
  return html::table(rows);
}

class Page {
 public:
  Page(const fs::path& figures, const std::vector<RunRecord>& runs) : figures_(figures), runs_(runs) {}

  std::string body() {
    text_ += summary_table(runs_);
    text_ += "<h2>Losses</h2>\n" + operations_table(runs_);
    figure(loss_figure(runs_), "loss curves");
    grids();
    if (observed()) histograms();
    return std::move(text_);
  }
  const std::vector<std::string>& undrawn() const { return undrawn_; }

 private:
  bool observed() const {
    for (const RunRecord& run : runs_)
      if (!run.observations.empty()) return true;
    return false;
  }

  void figure(const Figure& figure, const std::string& description) {
    const DrawnFigure drawn = draw(figures_, figure);
    if (!drawn.svg.empty()) {
      text_ += html::image("image/svg+xml", drawn.svg, description);
      return;
    }
    undrawn_.push_back(drawn.command);
    text_ += "<p>Not drawn, because gnuplot is missing or failed: <code>" + html::escaped(drawn.command) +
             "</code></p>\n";
  }

  void grids() {
    text_ += "<h2>Images</h2>\n<div class=\"side\">\n";
    for (const RunRecord& run : runs_) {
      if (run.grid.empty()) continue;
      text_ += fmt::format("<div><h3>{}, iteration {}</h3>\n", html::escaped(run.title()),
                           run.grid.stem().string());
      text_ += html::image("image/png", bytes_of(run.grid), "generated images") + "</div>\n";
    }
    text_ += "</div>\n";
  }

  void histograms() {
    text_ +=
        "<h2>What the half format does to the gradients</h2>\n"
        "<p>Share of the gradients that are not zero, of all layers and parameters and of every iteration "
        "that was "
        "observed, that rounding turns into zero, into subnormal numbers with fewer digits, and into "
        "infinities. Bars: gradients as the backward pass leaves them, multiplied by the loss scale, before "
        "they are "
        "rounded to their format; line: without the scale. Red: becomes zero or infinite; yellow: subnormal. "
        "Values of f32 are judged as if they were rounded to the half format.</p>\n";
    text_ += lost_table(runs_);
    for (const auto& [kind, operation] : groups()) {
      text_ += fmt::format("<h3>{}{}</h3>\n<div class=\"figures\">\n", kind,
                           operation.empty() ? "" : " of operation " + html::escaped(operation));
      for (std::size_t run = 0; run < runs_.size(); ++run) histogram(run, kind, operation);
      text_ += "</div>\n";
    }
  }

  using Group = std::pair<std::string, std::string>;
  std::vector<Group> groups() const {
    std::vector<Group> groups;
    for (const char* kind : {"activation gradient", "gradient", "activation"})
      for (const RunRecord& run : runs_)
        for (const Observation& o : run.observations)
          if (const Group group{o.kind, o.operation};
              o.kind == kind && std::ranges::find(groups, group) == groups.end())
            groups.push_back(group);
    return groups;
  }

  void histogram(std::size_t run, const std::string& kind, const std::string& operation) {
    std::vector<Observation> shown;
    for (const Observation& o : runs_[run].last_observations())
      if (o.kind == kind && o.operation == operation) shown.push_back(o);
    if (shown.empty()) return;
    std::string name = fmt::format("{}-{}{}{}", run + 1, kind, operation.empty() ? "" : "-", operation);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    text_ += "<div><h3>" + html::escaped(runs_[run].title()) + "</h3>\n";
    figure(histogram_figure(name, runs_[run].title(), shown), kind + "s by exponent");
    text_ += "<details><summary>numbers</summary>\n" + value_table(shown) + "</details></div>\n";
  }

  fs::path figures_;
  const std::vector<RunRecord>& runs_;
  std::string text_;
  std::vector<std::string> undrawn_;
};

}  // namespace

std::vector<std::string> write_page(const fs::path& file, const fs::path& figures,
                                    const std::vector<RunRecord>& runs) {
  std::error_code error;
  fs::create_directories(figures, error);
  if (error)
    throw Error({.what = "the report's folder cannot be made",
                 .where = figures.string(),
                 .got = error.message(),
                 .expected = {},
                 .hint = "choose another place with --out FILE",
                 .kind = ErrorKind::usage});
  Page page(figures, runs);
  const std::string body = page.body();
  AtomicFile output(file);
  output.write(html::document(runs.front().summary.experiment, body));
  output.commit();
  return page.undrawn();
}

}  // namespace halfling
