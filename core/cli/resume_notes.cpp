// SPDX-License-Identifier: Apache-2.0
#include "cli/resume_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/differences.hpp"
#include "run/summary.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shown = 3;

std::string or_nothing(const std::string& value) {
  return value.empty() ? "nothing" : value;
}

std::string differences_text(const Experiment& trial, const Experiment& other) {
  const std::vector<Difference> all = differences({&trial, &other});
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most_shown); ++i)
    text += fmt::format("{}{} = {}, here {}", text.empty() ? "" : "; ", all[i].key,
                        or_nothing(all[i].values[1]), or_nothing(all[i].values[0]));
  if (all.size() > most_shown) text += fmt::format("; and {} more", all.size() - most_shown);
  return text;
}

bool was_interrupted(const fs::path& run) {
  std::error_code none;
  if (!fs::exists(run / "experiment.toml", none)) return false;
  try {
    const std::optional<Summary> summary = read_summary(run / "summary.json");
    return !summary || summary->status != "done";
  } catch (const Error&) {
    return true;  // its summary cannot be read, so it did not end well
  }
}

}  // namespace

std::vector<std::string> notes_on_other_runs(const Experiment& trial, const RunFolder& folder,
                                             const PluginCatalog& catalog) {
  std::vector<fs::path> others;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder.path().parent_path(), none))
    if (entry.path() != folder.path() && was_interrupted(entry.path())) others.push_back(entry.path());
  std::ranges::sort(others);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::min(others.size(), most_shown); ++i) {
    std::string text;
    try {
      text = differences_text(trial,
                              load_experiment({others[i] / "experiment.toml", {}}, catalog).trials.front());
    } catch (const Error&) {
      text = "its experiment.toml cannot be read";
    }
    notes.push_back(fmt::format("  {} was begun: {}", others[i].string(), text));
  }
  if (notes.empty()) return notes;
  notes.insert(
      notes.begin(),
      "note: nothing to resume for this trial, so it begins anew. To continue another run of the experiment, "
      "give the same --set as then:");
  if (others.size() > most_shown) notes.push_back(fmt::format("  and {} more", others.size() - most_shown));
  return notes;
}

std::vector<std::string> notes_on_changes(const Experiment& trial, const RunFolder& folder,
                                          const PluginCatalog& catalog) {
  if (!folder.begun()) return {};
  std::vector<std::string> notes;
  try {
    const Experiment before = load_experiment({folder.experiment(), {}}, catalog).trials.front();
    for (const Difference& change : differences({&before, &trial}))
      notes.push_back(fmt::format("  {} was {}, is now {}", change.key, or_nothing(change.values[0]),
                                  or_nothing(change.values[1])));
  } catch (const Error&) {  // what it was asked for before is of interest, and not needed
  }
  return notes;
}

}  // namespace halfling::cli
