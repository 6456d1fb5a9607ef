// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/units.hpp"

namespace halfling::config {
namespace {

constexpr std::size_t most_trials = 10'000;

struct Axis {
  const Entry* entry;
  std::vector<std::string> path;
  const Array& values() const { return *entry->node.array(); }
};

std::string short_text(const Node& node) {
  if (const auto* b = std::get_if<bool>(&node.value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return format_number(*d);
  if (node.string()) return *node.string();
  std::string text;
  if (node.array()) {
    for (const Node& element : *node.array()) text += (text.empty() ? "" : ",") + short_text(element);
    return "[" + text + "]";
  }
  if (node.table()) {
    for (const Entry& e : *node.table()) text += (text.empty() ? "" : ",") + e.key + "=" + short_text(e.node);
    return "{" + text + "}";
  }
  return "?";
}

/// What is wrong with an axis; empty where it is well-formed.
Diagnostics::Report fault_of(const Axis& axis) {
  const Entry& entry = *axis.entry;
  const std::string example = "\"precision.use\" = [\"fp32\", \"mixed\"]";
  Diagnostics::Report report{
      Fault::sweep, entry.node.place, {}, "a list of values for a key", "write " + example};
  if (entry.node.table()) {
    report.place = entry.place;
    report.message = fmt::format("\"{}\" is a table", entry.key);
    report.hint = "the dotted name of a key stands in quotes: " + example;
  } else if (!entry.node.array()) {
    report.message = fmt::format("\"{}\" is {}", entry.key, type_name(entry.node));
  } else if (entry.node.array()->empty()) {
    report.message = fmt::format("\"{}\" has no values", entry.key);
  } else if (std::find(axis.path.begin(), axis.path.end(), "") != axis.path.end() ||
             axis.path.front() == "extends" || axis.path.front() == "sweep") {
    report.place = entry.place;
    report.message = fmt::format("\"{}\" cannot be swept", entry.key);
  }
  return report;
}

const Table* matrix_of(const Entry& sweep, Diagnostics& diagnostics) {
  if (!sweep.node.table()) {
    diagnostics.add({Fault::wrong_type, sweep.node.place,
                     fmt::format("\"sweep\" is {}", type_name(sweep.node)), "the table [sweep.matrix]"});
    return nullptr;
  }
  for (const Entry& entry : *sweep.node.table())
    if (entry.key != "matrix")
      diagnostics.add(
          {Fault::unknown_key, entry.place, fmt::format("unknown key \"sweep.{}\"", entry.key), "matrix"});
  const Entry* matrix = find(*sweep.node.table(), "matrix");
  if (matrix && !matrix->node.table()) {
    diagnostics.add({Fault::wrong_type, matrix->node.place,
                     fmt::format("\"sweep.matrix\" is {}", type_name(matrix->node)), "a table"});
    return nullptr;
  }
  return matrix ? matrix->node.table() : nullptr;
}

std::vector<Axis> axes_of(const Table& matrix, const Table& overrides, Diagnostics& diagnostics,
                          std::vector<std::string>& notes) {
  std::vector<Axis> axes;
  std::size_t trials = 1;
  for (const Entry& entry : matrix) {
    const Axis axis{&entry, split_path(entry.key)};
    if (const auto report = fault_of(axis); !report.message.empty()) {
      diagnostics.add(report);
      continue;
    }
    if (const Node* set = at_path(overrides, axis.path)) {
      notes.push_back(fmt::format("{}: note: \"{}\" is not swept: {} sets it", text_of(entry.place),
                                  entry.key, text_of(set->place)));
      continue;
    }
    trials = std::min(trials * axis.values().size(), most_trials + 1);
    if (trials > most_trials) {
      diagnostics.add(
          {Fault::sweep, entry.place, fmt::format("the sweep has more than {} trials", most_trials)});
      return {};
    }
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

std::vector<TrialTree> expand_sweep(Table root, const Table& overrides, Diagnostics& diagnostics,
                                    std::vector<std::string>& notes) {
  const Entry* found = find(root, "sweep");
  if (!found) return {{{}, std::move(root)}};
  const Entry sweep = *found;
  remove_key(root, "sweep");
  const Table* matrix = matrix_of(sweep, diagnostics);
  const std::vector<Axis> axes =
      matrix ? axes_of(*matrix, overrides, diagnostics, notes) : std::vector<Axis>{};
  std::vector<TrialTree> trials;
  std::vector<std::size_t> at(axes.size(), 0);
  for (bool more = true; more;) {
    TrialTree& trial = trials.emplace_back(TrialTree{{}, root});
    Table layer;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const Node& value = axes[i].values()[at[i]];
      put(layer, axes[i].path, axes[i].entry->place, value);
      trial.label += fmt::format("{}{}={}", i ? ", " : "", axes[i].entry->key, short_text(value));
    }
    merge(trial.tree, layer, notes);
    more = false;
    for (std::size_t i = axes.size(); i-- > 0 && !more;) {
      more = ++at[i] < axes[i].values().size();
      if (!more) at[i] = 0;
    }
  }
  return trials;
}

}  // namespace halfling::config
