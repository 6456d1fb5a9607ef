// SPDX-License-Identifier: Apache-2.0
#include "report/setting_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "report/setting_values.hpp"

namespace halfling {
namespace {

using Values = std::map<std::string, std::string>;

constexpr std::size_t longest_value = 32;  ///< bytes; a list of classes would fill a legend

/// The keys among those that `counts` lets through whose values differ; one that some do not have differs
/// from nothing where it must be `everywhere`: which plugin it is an option of differs, too, and says more.
std::vector<std::string> telling(const std::vector<Values>& all, bool everywhere,
                                 const std::function<bool(const std::string&)>& counts) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> owners;
  for (const Values& one : all)
    for (const auto& [key, value] : one) {
      values[key].insert(value);
      ++owners[key];
    }
  std::vector<std::string> keys;
  for (const auto& [key, different] : values) {
    const bool all_have_it = owners[key] == all.size();
    if (counts(key) && (all_have_it ? different.size() > 1 : !everywhere)) keys.push_back(key);
  }
  return keys;
}

/// "learning_rate=0.001", "loss_scaler=dynamic"; of a device its name.
std::string part(const std::string& key, const std::string& value) {
  const std::string shown = shortened(value, longest_value);
  if (key == "device" || key == "label") return shown;
  const std::string stem = key.ends_with(".use") ? key.substr(0, key.size() - 4) : key;
  return stem.substr(stem.rfind('.') + 1) + "=" + shown;
}

std::string text_of(const Values& values, const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys)
    if (const auto found = values.find(key); found != values.end())
      text += (text.empty() ? "" : ", ") + part(key, found->second);
  return text;
}

/// A text for each, by what all of them have; those whose texts are equal are told apart by whatever differs.
std::vector<std::string> texts(const std::vector<Values>& all,
                               const std::function<bool(const std::string&)>& counts) {
  std::vector<std::string> result;
  const std::vector<std::string> keys = telling(all, true, counts);
  for (const Values& one : all) result.push_back(text_of(one, keys));
  const std::vector<std::string> first = result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Values> equal;
    for (std::size_t j = 0; j < all.size(); ++j)
      if (first[j] == first[i]) equal.push_back(all[j]);
    const std::string more = text_of(all[i], telling(equal, false, counts));
    if (!more.empty()) result[i] += (result[i].empty() ? "" : ", ") + more;
  }
  return result;
}

bool is_other(const std::string& key) {
  return !key.starts_with("precision.") && key != "input.batch_size";
}

bool is_detail(const std::string& key) {
  return key.starts_with("precision.") && key != "precision.use" && key != "precision.half";
}

/// "mixed (bf16)"
std::string precision_of(const RunRecord& run) {
  const std::string half = run.half();
  return run.summary.precision + (half.empty() ? "" : " (" + half + ")");
}

/// Policies that are called alike are told apart by their options.
void name_precisions(std::vector<Setting>& settings, const std::vector<Values>& values) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    settings[i].precision = precision_of(settings[i].runs.front());
    alike[settings[i].precision].push_back(i);
  }
  for (const auto& [name, members] : alike) {
    std::vector<Values> own;
    for (const std::size_t i : members) own.push_back(values[i]);
    const std::vector<std::string> details = texts(own, is_detail);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (!details[i].empty()) settings[members[i]].precision += ", " + details[i];
  }
}

}  // namespace

void name_settings(std::vector<Setting>& settings) {
  std::vector<Values> values;
  for (const Setting& setting : settings) {
    const auto own = setting_values(setting.runs.front());
    values.emplace_back(own.begin(), own.end());
  }
  name_precisions(settings, values);
  const std::vector<std::string> others = texts(values, is_other);
  const bool batches = std::ranges::any_of(
      settings, [&](const Setting& setting) { return setting.batch_size != settings.front().batch_size; });
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Setting& setting = settings[i];
    setting.others = others[i];
    setting.name = setting.precision;
    if (batches) setting.name += ", batch " + std::to_string(setting.batch_size);
    if (!setting.others.empty()) setting.name += ", " + setting.others;
    if (!setting.native()) setting.name += " [emulated]";
  }
}

std::vector<std::string> run_names(const Setting& setting) {
  std::vector<std::string> names;
  for (const RunRecord& run : setting.runs) {
    std::string name = setting.name;
    if (setting.runs.size() > 1) name += ", seed " + run.value("experiment.seed");
    const auto same = std::ranges::count_if(
        names, [&](const std::string& other) { return other == name || other.starts_with(name + " #"); });
    names.push_back(same == 0 ? name : name + " #" + std::to_string(same + 1));
  }
  return names;
}

}  // namespace halfling
