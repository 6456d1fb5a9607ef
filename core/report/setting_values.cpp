// SPDX-License-Identifier: Apache-2.0
#include "report/setting_values.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace halfling {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

// backend.use may be "auto": what it led to is the device.
constexpr std::array no_part{"experiment.", "budget.",     "sample.",   "metrics.", "monitor.",
                             "checkpoint.", "backend.use", "reporter.", "cost.",    "quality."};

bool is_precision(const std::string& key) {
  return key.starts_with("precision.") || key == "input.batch_size";
}

std::string joined(const RunRecord& run, bool precision) {
  std::string text;
  for (const auto& [key, value] : setting_values(run))
    if (is_precision(key) == precision) text += key + "=" + value + "\n";
  return text;
}

/// What it ran on.
Values device_values(const RunRecord& run) {
  return {{"device", run.summary.device + " (" + run.summary.backend + ")"},
          {"device.threads", run.environment_text("/threads")}};
}

}  // namespace

Values setting_values(const RunRecord& run) {
  Values values;
  for (const auto& [key, value] : run.values)
    if (std::ranges::none_of(no_part,
                             [&, &key = key](const char* prefix) { return key.starts_with(prefix); }))
      values.emplace_back(key, run.value(key));
  if (values.empty())  // no provenance.json: the summary is all there is
    values = {{"precision.use", run.summary.precision},
              {"input.batch_size", std::to_string(run.summary.batch_size)},
              {"label", run.summary.label}};
  for (auto& value : device_values(run)) values.push_back(std::move(value));
  return values;
}

std::string family_of(const RunRecord& run) {
  return joined(run, false);
}

std::string setting_of(const RunRecord& run) {
  return joined(run, true);
}

std::vector<std::string> differing_keys(const std::vector<RunRecord>& runs) {
  std::vector<std::string> keys;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  const auto count = [&](const Values& all) {
    for (const auto& [key, value] : all) {
      if (key == "experiment.seed") continue;
      if (++counts[key] == 1) keys.push_back(key);
      values[key].insert(value);
    }
  };
  for (const RunRecord& run : runs) {
    count(run.values);
    count(device_values(run));
  }
  // An option that only some have belongs to a plugin that only they use, and its `use` says so.
  std::erase_if(keys, [&](const std::string& key) {
    const auto use = values.find(key.substr(0, key.find('.')) + ".use");
    const bool told = use != values.end() && use->second.size() > 1;
    return values[key].size() == 1 && (counts[key] == runs.size() || told);
  });
  return keys;
}

std::string shortened(const std::string& value, std::size_t bytes) {
  if (value.size() <= bytes) return value;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;
  return value.substr(0, end) + "...";
}

}  // namespace halfling
