// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/seed_pairs.hpp"
#include "report/setting_names.hpp"
#include "report/setting_values.hpp"

namespace halfling {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A run with what decides which setting it is of.
struct Keyed {
  RunRecord run;
  std::string family, setting;
  std::size_t rank = 0;  ///< of its family, by first appearance
};

std::vector<Keyed> keyed(std::vector<RunRecord> runs) {
  std::map<std::string, std::size_t> ranks;
  std::vector<Keyed> result;
  for (RunRecord& run : runs) {
    std::string family = family_of(run), setting = family + setting_of(run);
    const std::size_t rank = ranks.emplace(family, ranks.size()).first->second;
    result.push_back({std::move(run), std::move(family), std::move(setting), rank});
  }
  return result;
}

/// Families as they appear, then by batch size, fp32 first, then settings and seeds as they appear.
void arrange(std::vector<Keyed>& runs) {
  std::map<std::string, std::size_t> ranks;
  for (const Keyed& run : runs) ranks.emplace(run.setting, ranks.size());
  std::ranges::stable_sort(runs, {}, [&](const Keyed& k) {
    return std::tuple(k.rank, k.run.summary.batch_size, k.run.summary.precision != "fp32",
                      ranks.at(k.setting));
  });
}

std::vector<TimedPair> pairs_of(const Setting& baseline, const Setting& other) {
  std::vector<TimedPair> pairs;
  for (const auto& [one, two] : seed_pairs(baseline, other, has_times))
    pairs.push_back({{one->summary.ms_per_iteration, one->summary.block_ms},
                     {two->summary.ms_per_iteration, two->summary.block_ms}});
  return pairs;
}

/// The first one in fp32 that has times.
const Setting* baseline_of(const std::vector<Setting>& settings, const Setting& other) {
  for (const Setting& setting : settings)
    if (setting.family == other.family && setting.batch_size == other.batch_size &&
        setting.policy == "fp32" && setting.timed())
      return &setting;
  return nullptr;
}

std::vector<Comparison> comparisons_of(const std::vector<Setting>& settings) {
  std::vector<Comparison> result;
  const auto bytes = [](const Summary& run) {
    return run.peak_bytes > 0 ? static_cast<double>(run.peak_bytes) : unknown;
  };
  for (const Setting& setting : settings) {
    const Setting* baseline = baseline_of(settings, setting);
    if (baseline == nullptr || baseline == &setting || !setting.timed()) continue;
    const std::vector<TimedPair> pairs = pairs_of(*baseline, setting);
    if (pairs.empty()) continue;
    const double memory = setting.spread(bytes).mean / baseline->spread(bytes).mean;
    result.push_back({baseline, &setting, speed_ratio(pairs),
                      std::isnan(memory) ? std::nullopt : std::optional(memory),
                      quality_difference(*baseline, setting)});
  }
  return result;
}

}  // namespace

Report::Report(std::vector<RunRecord> given, const std::optional<Price>& price) {
  differing = differing_keys(given);
  std::vector<Keyed> ordered = keyed(std::move(given));
  arrange(ordered);
  runs.reserve(ordered.size());
  for (const Keyed& k : ordered) runs.push_back(k.run);
  for (RunRecord& run : runs)
    if (price) run.summary.price = price;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && ordered[end].setting == ordered[begin].setting) ++end;
    Setting setting;
    setting.policy = runs[begin].summary.precision;
    setting.family = ordered[begin].family;
    setting.batch_size = runs[begin].summary.batch_size;
    setting.runs = std::span(runs).subspan(begin, end - begin);
    settings.push_back(std::move(setting));
  }
  name_settings(settings);
  for (const Setting& setting : settings)
    for (std::string& name : run_names(setting)) names.push_back(std::move(name));
  comparisons = comparisons_of(settings);
}

const Comparison* Report::comparison(const Setting& setting) const {
  const auto found = std::ranges::find(comparisons, &setting, &Comparison::other);
  return found == comparisons.end() ? nullptr : &*found;
}

std::vector<std::vector<const Comparison*>> Report::series() const {
  std::vector<std::vector<const Comparison*>> result;
  for (const Comparison& comparison : comparisons) {
    const auto same = [&](const std::vector<const Comparison*>& series) {
      const Setting& setting = *series.front()->other;
      return setting.family == comparison.other->family && setting.precision == comparison.other->precision &&
             series.back()->other->batch_size < comparison.other->batch_size;
    };
    const auto found = std::ranges::find_if(result, same);
    if (found == result.end())
      result.push_back({&comparison});
    else
      found->push_back(&comparison);
  }
  return result;
}

}  // namespace halfling
