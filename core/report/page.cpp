// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/atomic_file.hpp"
#include "halfling/error.hpp"
#include "report/answer.hpp"
#include "report/html.hpp"
#include "report/page_images.hpp"
#include "report/report_figures.hpp"
#include "report/tables.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

std::string experiments_of(const Report& report) {
  std::vector<std::string> names;
  for (const RunRecord& run : report.runs)
    if (std::ranges::find(names, run.summary.experiment) == names.end())
      names.push_back(run.summary.experiment);
  return fmt::format("{}", fmt::join(names, ", "));
}

class Page {
 public:
  Page(const fs::path& figures, const Report& report) : figures_(figures), report_(report) {}

  std::string body() {
    results();
    by_batch_size();
    work();
    losses();
    text_ += newest_grids(report_);
    quality();
    text_ += grids_over_time(report_, figures_) + data_sheets(report_);
    numerics();
    origins();
    return std::move(text_);
  }
  const std::vector<std::string>& undrawn() const { return undrawn_; }

 private:
  void heading(const char* words) { text_ += fmt::format("<h2>{}</h2>\n", words); }

  void table(const TableRows& rows, const char* name) {
    if (!rows.empty()) text_ += html::table(rows, name);
  }

  /// Of words, which go on in the next line.
  void text_table(const TableRows& rows, const char* name) {
    text_ += "<div class=\"facts\">\n";
    table(rows, name);
    text_ += "</div>\n";
  }

  void figure(const Figure& figure, const std::string& description) {
    const DrawnFigure drawn = draw(figures_, figure);
    text_ += "<figure>\n";
    if (drawn.svg.empty()) {
      undrawn_.push_back(drawn.command);
      text_ += "<p>Not drawn, because gnuplot is missing or failed: <code>" + html::escaped(drawn.command) +
               "</code></p>\n";
    } else {
      text_ += html::plot(drawn.svg, description);
    }
    text_ +=
        fmt::format("<figcaption>{} ({})</figcaption></figure>\n", html::escaped(description), figure.name);
  }

  void results() {
    const Answer answer = answer_of(report_);
    text_ += fmt::format("<p class=\"soft\">halfling: {}</p>\n<h1>{}</h1>\n",
                         html::escaped(experiments_of(report_)), html::escaped(answer.sentence));
    text_ += html::list(answer.others);
    table(factors_table(report_), "factors");
    text_ += html::list(answer.notes);
    const TableRows unfinished = unfinished_table(report_);
    if (unfinished.empty()) return;
    heading("Runs that did not end by their budget");
    text_table(unfinished, "runs that did not end by their budget");
  }

  void by_batch_size() {
    const std::vector<Figure> figures = batch_figures(report_);
    if (figures.empty()) return;
    heading("By batch size");
    text_ += "<div class=\"figures\">\n";
    for (const Figure& f : figures) figure(f, description_of(f.name));
    text_ += "</div>\n";
  }

  void work() {
    const TableRows rows = work_table(report_);
    if (rows.empty()) return;
    heading("Where the time goes");
    text_ +=
        "<p>A few iterations after the training, timed step by step, which is slower than running them "
        "through. "
        "A cast within a fused loop is part of the loop; as casts stand here those that are a step of their "
        "own.</p>\n";
    table(rows, "kinds of work");
    for (const Comparison& comparison : report_.comparisons) {
      const TableRows layers = layer_table(comparison);
      if (layers.empty()) continue;
      text_ += html::paragraph(work_text(comparison)) + "<details><summary>by layer</summary>\n" +
               html::table(layers, "work by layer of " + comparison.other->name) + "</details>\n";
    }
  }

  static std::string description_of(const std::string& name) {
    const std::string bars =
        ": points are means over seeds of the medians, bars reach from p10 to p90 of the iterations";
    if (name == "time-by-batch") return "Time of a batch by batch size and precision" + bars;
    if (name == "samples-by-batch") return "Time of a thousand samples by batch size and precision" + bars;
    if (name == "cost-by-batch") return "Cost of a million batches by batch size and precision" + bars;
    return "Times as fast as fp32 by batch size; bars are the intervals of the table, on the dashed line "
           "nothing is "
           "gained";
  }

  void losses() {
    heading("Losses");
    table(operations_table(report_), "losses of the last iteration");
    text_ += "<div class=\"figures\">\n";
    figure(loss_figure(report_, Over::iterations), "Losses by iteration");
    figure(loss_figure(report_, Over::time), "Losses by time of training");
    const auto scales = scale_figure(report_);
    if (scales)
      figure(*scales,
             "Loss scale of each training operation, and updates skipped so far, all operations together");
    text_ += "</div>\n";
    if (!scales) text_ += "<p>No update was skipped, and no loss scale changed.</p>\n";
  }

  void quality() {
    const TableRows rows = quality_table(report_);
    if (rows.empty()) return;
    text_ += "<h3>Quality</h3>\n";
    table(rows, "image quality");
    if (const auto course = quality_figure(report_))
      figure(
          *course,
          "Image quality of the checkpoints by time of training; less distance and more accuracy are better");
    text_ +=
        "<p>↓ less is better, ↑ more is. Fréchet and kernel distance, precision and recall compare features "
        "of "
        "generated images with those of as many real ones that were trained with, in the eyes of a "
        "classifier "
        "that this program trained on the data set; it is not FID, whose features are another network's, and "
        "figures of other data sets or classifiers say nothing beside these. Real images that training never "
        "saw are the yardstick: what they get is the bias of so few images, not the images' fault.</p>\n";
  }

  void numerics() {
    const auto observed = [](const RunRecord& run) { return !run.observations.empty(); };
    if (std::ranges::none_of(report_.runs, observed)) return;
    heading("What the half format does to the gradients");
    text_ +=
        "<p>Share of the gradients that are not zero, of all layers and parameters and of every iteration "
        "that was "
        "observed, that rounding turns into zero, into subnormal numbers with fewer digits, and into "
        "infinities. "
        "Bars: gradients as the backward pass leaves them, multiplied by the loss scale, before they are "
        "rounded to "
        "their format; line: without the scale. Red: becomes zero or infinite; yellow: subnormal. Values of "
        "f32 are "
        "judged as if they were rounded to the half format.</p>\n";
    table(lost_table(report_), "gradients that rounding loses");
    for (const auto& [kind, operation] : groups()) {
      text_ += fmt::format("<h3>{}{}</h3>\n<div class=\"figures\">\n", html::escaped(kind),
                           operation.empty() ? "" : " of operation " + html::escaped(operation));
      for (std::size_t run = 0; run < report_.runs.size(); ++run) histogram(run, kind, operation);
      text_ += "</div>\n";
    }
  }

  using Group = std::pair<std::string, std::string>;
  std::vector<Group> groups() const {
    std::vector<Group> groups;
    for (const char* kind : {"activation gradient", "gradient", "activation"})
      for (const RunRecord& run : report_.runs)
        for (const Observation& o : run.observations)
          if (const Group group{o.kind, o.operation};
              o.kind == kind && std::ranges::find(groups, group) == groups.end())
            groups.push_back(group);
    return groups;
  }

  void histogram(std::size_t run, const std::string& kind, const std::string& operation) {
    std::vector<Observation> shown;
    for (const Observation& o : report_.runs[run].last_observations())
      if (o.kind == kind && o.operation == operation) shown.push_back(o);
    if (shown.empty()) return;
    std::string name = fmt::format("{}-{}{}{}", run + 1, kind, operation.empty() ? "" : "-", operation);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    text_ += "<div>\n";
    figure(histogram_figure(name, report_.names[run], shown),
           report_.names[run] + ", " + kind + "s by exponent");
    text_ += "<details><summary>numbers</summary>\n" + html::table(value_table(shown), kind + "s") +
             "</details></div>\n";
  }

  void origins() {
    heading("What ran");
    text_table(facts_table(report_), "what ran");
    const TableRows formats = formats_table(report_);
    if (!formats.empty())
      text_ +=
          "<h3>Formats</h3>\n<p>What the values of an iteration are stored in, as shares of their elements; "
          "weights as multiplied are the copies that matrix products and convolutions read.</p>\n";
    text_table(formats, "formats");
    const TableRows differences = differences_table(report_);
    if (differences.empty()) {
      if (report_.runs.size() > 1) text_ += "<p>These runs differ in nothing but the seed.</p>\n";
    } else {
      text_ += "<h3>Values that differ</h3>\n";
      text_table(differences, "values that differ");
    }
    text_ +=
        "<p class=\"soft\">Every value stands in the experiment.toml of each run's folder, and where it came "
        "from "
        "in its provenance.json. Beside this page, the folder <code>" +
        html::escaped(figures_.filename().string()) +
        "</code> has each figure as SVG, its numbers (.tsv) and gnuplot's script (.gp), by the name under "
        "the "
        "figure; <code>halfling report RUN... --format json</code> tells the whole to a program.</p>\n";
  }

  fs::path figures_;
  const Report& report_;
  std::string text_;
  std::vector<std::string> undrawn_;
};

}  // namespace

std::vector<std::string> write_page(const fs::path& file, const fs::path& figures, const Report& report) {
  std::error_code error;
  if (fs::is_symlink(figures, error)) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  if (!error || error == std::errc::no_such_file_or_directory) fs::create_directories(figures, error);
  if (error)
    throw Error({.what = "the report's folder cannot be made",
                 .where = figures.string(),
                 .got = error.message(),
                 .expected = {},
                 .hint = "choose another place with --out FILE",
                 .kind = ErrorKind::usage});
  Page page(figures, report);
  const std::string body = page.body();
  AtomicFile output(file);
  output.write(html::document(experiments_of(report), body));
  output.commit();
  return page.undrawn();
}

}  // namespace halfling
