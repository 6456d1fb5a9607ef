// SPDX-License-Identifier: Apache-2.0
#include "cli/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "halfling/error.hpp"

namespace halfling::cli {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Values {
  std::string precision, others;
};

Values values_of(const Experiment& trial) {
  Values values;
  for (const Origin& origin : trial.origins) {
    if (origin.key == "experiment.seed") continue;
    std::string& part = origin.key.starts_with("precision.") ? values.precision : values.others;
    part += origin.key + "=" + origin.value + "\n";
  }
  return values;
}

/// "precision.use=fp32", "input.batch_size=64" of a label.
std::vector<std::string> parts_of(const std::string& label) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < label.size();) {
    const std::size_t end = std::min(label.find(", ", begin), label.size());
    parts.push_back(label.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

bool is_named(const std::string& wanted, const std::string& label, const std::string& policy) {
  if (wanted == policy) return true;
  const std::vector<std::string> given = parts_of(wanted), parts = parts_of(label);
  return !given.empty() && std::ranges::all_of(given, [&](const std::string& part) {
    return std::ranges::find(parts, part) != parts.end();
  });
}

std::string name_of(const ComparedRun& run, bool with_seed) {
  const Summary& summary = run.summary;
  std::string name;
  for (const std::string& part : parts_of(summary.label))
    if (with_seed || part != "experiment.seed=" + std::to_string(run.seed))
      name += (name.empty() ? "" : ", ") + part;
  return name.empty() ? summary.precision : name;
}

/// Where all of a setting's runs are one row, they differ in the seed alone and ended alike.
bool same_setting(const ComparedRun& a, const ComparedRun& b) {
  return a.precision == b.precision && a.summary.status == b.summary.status && a.seed != b.seed;
}

using Group = std::vector<Setting>;

void add(Group& group, const ComparedRun& run) {
  for (Setting& setting : group)
    if (std::ranges::all_of(setting.runs, [&](const ComparedRun& r) { return same_setting(r, run); })) {
      setting.runs.push_back(run);
      return;
    }
  group.push_back({{}, {run}, {}, {}, {}});
}

bool native(const Setting& setting) {
  return std::ranges::all_of(setting.runs, [](const ComparedRun& run) { return run.summary.native; });
}

/// One that came to its end, if there is one.
const Setting* baseline_of(const Group& group, const std::string& wanted) {
  const Setting* found = nullptr;
  for (const Setting& setting : group) {
    const Summary& run = setting.first();
    if (!is_named(wanted.empty() ? "fp32" : wanted, run.label, run.precision)) continue;
    if (found == nullptr || (found->first().status != "done" && run.status == "done")) found = &setting;
  }
  return found;
}

std::optional<double> ratio(double value, double to) {
  if (!(value > 0) || !(to > 0)) return std::nullopt;
  return value / to;
}

void compare(Group& group, const std::string& wanted) {
  const Setting* baseline = baseline_of(group, wanted);
  if (baseline == nullptr || !native(*baseline)) return;
  const auto speed = [](const Summary& run) { return run.images_per_s(); };
  const auto memory = [](const Summary& run) { return static_cast<double>(run.peak_bytes); };
  for (Setting& setting : group) {
    if (&setting == baseline || !native(setting)) continue;
    setting.baseline = baseline->name;
    setting.speed = ratio(setting.spread(speed).mean, baseline->spread(speed).mean);
    setting.memory = ratio(setting.spread(memory).mean, baseline->spread(memory).mean);
  }
}

}  // namespace

ComparedRun compared(const Experiment& trial, std::size_t number, Summary summary) {
  Values values = values_of(trial);
  values.others += summary.backend + "\n" + summary.device;
  return {std::move(summary), number, trial.seed, std::move(values.precision), std::move(values.others)};
}

Spread Setting::spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : unknown};
}

std::vector<Setting> settings_of(const std::vector<ComparedRun>& runs, const std::string& wanted) {
  std::vector<std::pair<std::string, Group>> groups;
  for (const ComparedRun& run : runs) {
    auto found = std::ranges::find(groups, run.others, &std::pair<std::string, Group>::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {run.others, {}});
    add(found->second, run);
  }
  std::vector<Setting> settings;
  for (auto& [others, group] : groups) {
    for (Setting& setting : group) setting.name = name_of(setting.runs.front(), setting.runs.size() == 1);
    compare(group, wanted);
    settings.insert(settings.end(), group.begin(), group.end());
  }
  return settings;
}

void check_baseline(const std::vector<Experiment>& trials, const std::string& wanted) {
  if (wanted.empty()) return;
  std::map<std::string, std::string> named;  // precision by what else the trial sets
  const auto refuse = [&](std::string what, std::string expected) {
    throw Error({.what = std::move(what),
                 .where = "--baseline",
                 .got = wanted,
                 .expected = std::move(expected),
                 .hint = "`halfling plan EXPERIMENT` lists what the trials set",
                 .kind = ErrorKind::usage});
  };
  for (const Experiment& trial : trials) {
    if (!is_named(wanted, trial.label, trial.precision.use)) continue;
    const Values values = values_of(trial);
    const auto [other, fresh] = named.emplace(values.others, values.precision);
    if (!fresh && other->second != values.precision)
      refuse("several trials that differ in precision alone are called this", "what only one of them sets");
  }
  if (named.empty()) refuse("no trial is called this", "such as precision.use=tf32, or a policy's name");
}

}  // namespace halfling::cli
