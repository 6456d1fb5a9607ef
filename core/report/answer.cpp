// SPDX-License-Identifier: Apache-2.0
#include "report/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/price.hpp"

namespace halfling {
namespace {

using Series = std::vector<const Comparison*>;

constexpr std::int64_t enough_iterations = 20;  // to tell a median and its range
constexpr double steady = 2;                    // most that p90 may be, in medians

std::string this_model(const Setting& setting) {
  const std::string architecture = setting.runs.front().value("architecture.use");
  return "this " + (architecture.empty() ? "GAN" : architecture);
}

/// ", in 4 % more memory"
std::string memory_text(const std::optional<double>& ratio) {
  if (!ratio) return {};
  const double percent = std::round(100 * (*ratio - 1));
  if (percent == 0) return ", in the same memory";
  return fmt::format(", in {:.0f} % {} memory", std::abs(percent), percent > 0 ? "more" : "less");
}

/// What the settings have besides precision and batch size, where the report has several.
std::string prefix_of(const Setting& setting) {
  return setting.others.empty() ? "" : "With " + setting.others + ": ";
}

std::string sentence_of(const Series& series) {
  const Comparison& c = *series.back();
  const std::string model = this_model(*c.other), &other = c.other->precision, &base = c.baseline->precision;
  std::string text = prefix_of(*c.other);
  if (!c.speed.measurable()) text += "no measurable difference in speed: ";
  text += fmt::format("{} trains {} {:.2f} times as fast as {} [{:.2f}, {:.2f}]", other, model, c.speed.value,
                      base, c.speed.low, c.speed.high);
  if (c.speed.high < 1) text += ", which is slower";
  text += memory_text(c.memory);
  if (c.quality) text += quality_clause(*c.quality);
  if (series.size() > 1)
    text += fmt::format(", in batches of {}, the largest of {} sizes", c.other->batch_size, series.size());
  return text + ".";
}

std::string begun_large(std::string text) {
  if (text.starts_with("no measurable")) text.front() = 'N';
  return text;
}

/// From which batch size on the ratio's interval lies above 1.
std::string pays_text(const Series& series) {
  if (series.size() < 2) return {};
  const auto pays = [](const Comparison* c) { return c->speed.low > 1; };
  auto first = series.end();
  while (first != series.begin() && pays(*(first - 1))) --first;
  std::string where;
  if (first == series.begin())
    where = "at every batch size";
  else if (first != series.end())
    where = fmt::format("in batches of {} and more", (*first)->other->batch_size);
  else
    where = std::ranges::any_of(series, pays) ? "at some batch sizes, but not at the largest"
                                              : "at no batch size";
  std::vector<std::int64_t> sizes;
  for (const Comparison* c : series) sizes.push_back(c->other->batch_size);
  const Setting& setting = *series.front()->other;
  return fmt::format("{}{} pays {} (measured: {}).", prefix_of(setting), setting.precision, where,
                     fmt::join(sizes, ", "));
}

/// "5", "3 or 5"
std::string counts_text(const std::set<std::size_t>& counts) {
  return fmt::format("{}", fmt::join(counts, " or "));
}

std::string interval_text(const Report& report) {
  std::set<std::size_t> seeds, blocks;
  bool scatter = false;
  for (const Comparison& c : report.comparisons) {
    if (c.speed.ratios == 1)
      scatter = true;
    else if (c.speed.ratios > c.speed.seeds)
      blocks.insert(c.speed.ratios);
    else
      seeds.insert(c.speed.seeds);
  }
  const char* interval =
      "the 95 % confidence interval of the mean ratio over {} {} (Student's t over the logarithms of the "
      "ratios, one ratio a {}). ";
  std::string text = "In brackets: ";
  if (!blocks.empty())
    text += fmt::format(fmt::runtime(interval), counts_text(blocks), "blocks, in which the runs took turns",
                        "block");
  if (!seeds.empty()) text += fmt::format(fmt::runtime(interval), counts_text(seeds), "seeds", "seed");
  if (!scatter) return text;
  return text +
         "with one run each, how far single iterations scatter (p10 of one run's times over p90 of the "
         "other's, and the reverse); that does not say how far other runs would differ. Several seeds do: "
         "[sweep] repeat; and turns: [sweep] order = \"interleaved\".";
}

std::string saving_text(const Comparison& c) {
  const double before = c.baseline->cost(1e6), now = c.other->cost(1e6);
  if (std::isnan(before) || std::isnan(now)) return {};
  const Price price = *c.other->price();
  if (c.baseline->price()->currency != price.currency) return {};
  const double percent = 100 * (1 - now / before);
  return fmt::format("{}At {}, a million batches of {} cost {:.2f} {} in {} and {:.2f} in {}: {:.0f} % {}.",
                     prefix_of(*c.other), price_and_name(price), c.other->batch_size, before, price.currency,
                     c.baseline->precision, now, c.other->precision, std::abs(percent),
                     percent < 0 ? "more" : "less");
}

/// A note on all runs that `of_run` says something about, empty where it is none.
template <class OfRun>
std::string note_on_runs(const Report& report, const char* format, OfRun of_run) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    if (const std::string text = of_run(report.runs[i].summary); !text.empty())
      found.push_back(fmt::format("{} ({})", report.names[i], text));
  return found.empty() ? "" : fmt::format(fmt::runtime(format), fmt::join(found, "; "));
}

std::string noise_text(const Summary& run) {
  const Quantiles& ms = run.ms_per_iteration;
  if (std::isnan(ms.median) || !run.native) return {};
  if (run.timed_iterations < enough_iterations)
    return fmt::format("{} timed iteration{}", run.timed_iterations, run.timed_iterations == 1 ? "" : "s");
  return ms.p90 > steady * ms.median ? fmt::format("p90 is {:.1f} medians", ms.p90 / ms.median) : "";
}

std::string disturbed_text(const Summary& run) {
  return run.disturbance.slowed() ? fmt::format("{:.0f} %", 100 * run.disturbance.processor_wait_share) : "";
}

std::string emulated_text(const Report& report) {
  std::vector<std::string> names;
  for (const Setting& setting : report.settings)
    if (!setting.native()) names.push_back(setting.name);
  if (names.empty()) return {};
  return fmt::format(
      "Emulated, which shows numerics and never speed: {}. Ratios, costs and figures of time leave {} out.",
      fmt::join(names, "; "), names.size() == 1 ? "it" : "them");
}

std::string unfinished_text(const Report& report) {
  std::size_t count = 0;
  for (const RunRecord& run : report.runs) count += run.summary.status == "done" ? 0 : 1;
  if (count == 0 || report.runs.size() == 1) return {};
  return fmt::format("{} of {} runs did not come to the end of their budget: see below.", count,
                     report.runs.size());
}

void add(std::vector<std::string>& notes, std::string note) {
  if (!note.empty()) notes.push_back(std::move(note));
}

/// "bf16 was emulated, which"
std::string emulated_tail(const Summary& run) {
  if (run.native) return {};
  return fmt::format("; {} was emulated, which shows numerics and never speed",
                     fmt::join(run.emulated, ", "));
}

/// "1300 iterations of 64 images at 101 ms [93.3, 109] (p10 and p90), 633 images/s, in 471 MiB"
std::string work_text(const Summary& run) {
  std::string text = fmt::format("{} iterations of {} images", run.iterations, run.batch_size);
  const Quantiles& ms = run.ms_per_iteration;
  if (run.native && !std::isnan(ms.median))
    text += fmt::format(" at {:.3g} ms [{:.3g}, {:.3g}] each (p10 and p90), {:.0f} images/s", ms.median,
                        ms.p10, ms.p90, run.images_per_s());
  if (run.peak_bytes > 0)
    text += fmt::format(", in {:.0f} MiB", static_cast<double>(run.peak_bytes) / (1 << 20));
  return text;
}

/// Runs of one setting.
std::string single_text(const Setting& setting) {
  const Summary& run = setting.first();
  const std::string model = this_model(setting), work = work_text(run);
  const std::string trained = setting.precision + " trained " + model + " ";
  if (setting.runs.size() > 1)
    return fmt::format("{}from {} seeds; the first: {}{}.", trained, setting.runs.size(), work,
                       emulated_tail(run));
  std::string text = trained + "for " + work;
  if (run.status == "running") text = setting.precision + " is training " + model + ", so far for " + work;
  if (run.status == "killed") text += ", and then ended without a summary: killed, or its machine went down";
  if (run.status == "interrupted") text += ", and was then interrupted";
  if (run.status == "failed") text += ", and then failed: " + run.error;
  return text + emulated_tail(run) + ".";
}

/// Why no ratio is told.
std::string incomparable_text(const Report& report) {
  if (std::ranges::none_of(report.settings, &Setting::native))
    return "All of these runs emulate their half format: they show numerics, never speed.";
  if (std::ranges::none_of(report.settings, &Setting::timed))
    return "No run has told its times yet, so nothing can be compared.";
  if (report.settings.size() == 1) return single_text(report.settings.front());
  return "No ratio can be told: no run has a run in fp32 beside it, with times, that differs in precision "
         "alone.";
}

}  // namespace

std::string text_of(const SpeedRatio& ratio) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio.value, ratio.low, ratio.high);
}

std::string status_text(const Summary& run) {
  if (run.status == "running") return "in progress";
  if (run.status == "killed") return "ended without a summary";
  return run.marked_status();
}

Answer answer_of(const Report& report) {
  Answer answer;
  const std::vector<Series> all = report.series();
  for (const Series& series : all) answer.others.push_back(begun_large(sentence_of(series)));
  if (all.empty()) {
    answer.sentence =
        report.runs.size() == 1 ? single_text(report.settings.front()) : incomparable_text(report);
  } else {
    answer.sentence = answer.others.front();
    answer.others.erase(answer.others.begin());
    for (const Series& series : all) add(answer.notes, pays_text(series));
    for (const Series& series : all) add(answer.notes, saving_text(*series.back()));
    for (const Series& series : all)
      if (const Comparison& c = *series.back(); c.quality)
        add(answer.notes, prefix_of(*c.other) + quality_note(*c.quality, *c.baseline, *c.other));
    add(answer.notes, interval_text(report));
  }
  add(answer.notes, emulated_text(report));
  add(answer.notes, note_on_runs(report, "Noisy times: {}.", noise_text));
  add(answer.notes,
      note_on_runs(report,
                   "Disturbed: {}: that share of their time, threads waited for a processor, which others "
                   "had; these times are not the machine's.",
                   disturbed_text));
  add(answer.notes, unfinished_text(report));
  return answer;
}

}  // namespace halfling
