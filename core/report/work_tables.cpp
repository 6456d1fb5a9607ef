// SPDX-License-Identifier: Apache-2.0
// Where the time of an iteration goes, and what of it another precision changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/tables.hpp"

namespace halfling {
namespace {

constexpr double least_share = 0.005;  // of an iteration: less is not worth a row or a word

/// Mean over the runs of a setting that say; empty where none does.
WorkProfile profile_of(const Setting& setting) {
  WorkProfile mean;
  double runs = 0;
  for (const RunRecord& run : setting.runs) runs += run.summary.profile ? 1 : 0;
  for (const RunRecord& run : setting.runs) {
    if (!run.summary.profile) continue;
    mean.ms += run.summary.profile->ms / runs;
    for (const WorkTime& time : run.summary.profile->times) {
      auto found = std::ranges::find_if(mean.times, [&](const WorkTime& other) {
        return other.layer == time.layer && other.work == time.work;
      });
      if (found == mean.times.end())
        found = mean.times.insert(found, {.layer = time.layer, .work = time.work});
      found->ms += time.ms / runs;
    }
  }
  return mean;
}

std::vector<std::string> kinds_of(const std::vector<WorkProfile>& profiles) {
  std::vector<std::string> kinds;
  for (const char* kind :
       {"contraction", "normalization", "pointwise", "cast", "movement", "random", "update"})
    for (const WorkProfile& profile : profiles)
      if (std::ranges::find(profile.times, kind, &WorkTime::work) != profile.times.end() &&
          std::ranges::find(kinds, kind) == kinds.end())
        kinds.emplace_back(kind);
  return kinds;
}

double sum_of(const WorkProfile& profile, const std::string& kind) {
  double ms = 0;
  for (const WorkTime& time : profile.times) ms += time.work == kind ? time.ms : 0;
  return ms;
}

double ms_of(const WorkProfile& profile, const WorkTime& wanted) {
  for (const WorkTime& time : profile.times)
    if (time.layer == wanted.layer && time.work == wanted.work) return time.ms;
  return 0;
}

std::string ms_text(double ms) {
  return fmt::format("{:.{}f}", ms, ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

std::string with_share(double ms, double all) {
  return fmt::format("{} ({:.0f} %)", ms_text(ms), 100 * ms / all);
}

/// Of one of them or of both, in the order of the first.
std::vector<WorkTime> all_work(const WorkProfile& baseline, const WorkProfile& other) {
  std::vector<WorkTime> work = baseline.times;
  for (const WorkTime& time : other.times)
    if (ms_of(baseline, time) == 0) work.push_back(time);
  return work;
}

/// "saves 12.3 ms", "costs 0.40 ms"
std::string change_text(double saved) {
  return fmt::format("{} {} ms", saved < 0 ? "costs" : "saves", ms_text(std::abs(saved)));
}

/// Layers whose contractions take longer in the other one: "d.conv1 (2.10 ms, in fp32 1.50)".
std::string slower_layers(const WorkProfile& baseline, const WorkProfile& other, const std::string& name) {
  std::string text;
  for (const WorkTime& time : other.times) {
    const double before = ms_of(baseline, time);
    if (time.work != "contraction" || before == 0 || time.ms - before < least_share * other.ms) continue;
    text += fmt::format("{}{} ({} ms, in {} {})", text.empty() ? "" : ", ", time.layer, ms_text(time.ms),
                        name, ms_text(before));
  }
  return text;
}

}  // namespace

TableRows work_table(const Report& report) {
  std::vector<WorkProfile> profiles;
  for (const Setting& setting : report.settings) profiles.push_back(profile_of(setting));
  const std::vector<std::string> kinds = kinds_of(profiles);
  if (kinds.empty()) return {};
  TableRows rows{{"setting, ms an iteration"}};
  rows[0].insert(rows[0].end(), kinds.begin(), kinds.end());
  rows[0].emplace_back("all, step by step");
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].times.empty()) continue;
    rows.push_back({report.settings[i].name});
    for (const std::string& kind : kinds)
      rows.back().push_back(with_share(sum_of(profiles[i], kind), profiles[i].ms));
    rows.back().push_back(ms_text(profiles[i].ms));
  }
  return rows;
}

TableRows layer_table(const Comparison& comparison) {
  const WorkProfile baseline = profile_of(*comparison.baseline), other = profile_of(*comparison.other);
  if (baseline.times.empty() || other.times.empty()) return {};
  TableRows rows{{"layer", "work", comparison.baseline->precision + ", ms",
                  comparison.other->precision + ", ms", "times as fast"}};
  for (const WorkTime& work : all_work(baseline, other)) {
    const double before = ms_of(baseline, work), now = ms_of(other, work);
    if (std::max(before, now) < least_share * baseline.ms) continue;
    rows.push_back({work.layer.empty() ? "-" : work.layer, work.work, ms_text(before), ms_text(now),
                    before > 0 && now > 0 ? fmt::format("{:.2f}", before / now) : "-"});
  }
  return rows;
}

std::string work_text(const Comparison& comparison) {
  const WorkProfile baseline = profile_of(*comparison.baseline), other = profile_of(*comparison.other);
  if (baseline.times.empty() || other.times.empty()) return {};
  std::string text;
  for (const std::string& kind : kinds_of({baseline, other})) {
    const double saved = sum_of(baseline, kind) - sum_of(other, kind);
    if (std::abs(saved) < least_share * baseline.ms) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, change_text(saved));
  }
  if (text.empty()) text = "no kind of work changes";
  const std::string slower = slower_layers(baseline, other, comparison.baseline->precision);
  return fmt::format("{}, against {}, of an iteration: {}. {}", comparison.other->name,
                     comparison.baseline->precision, text,
                     slower.empty() ? "No layer's contractions take longer."
                                    : "Contractions that take longer: " + slower + ".");
}

}  // namespace halfling
