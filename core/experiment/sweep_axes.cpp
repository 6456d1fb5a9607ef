// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "experiment/toml_reader.hpp"

namespace halfling::config {
namespace {

constexpr const char* example = "\"precision.use\" = [\"fp32\", \"mixed\"]";
constexpr std::int64_t default_blocks = 5, most_blocks = 1000;
constexpr const char* write_seeds = "write repeat = { seeds = [1, 2, 3] }";

class SweepReader {
 public:
  SweepReader(const Table& overrides, Diagnostics& diagnostics, std::vector<std::string>& notes)
      : overrides_(overrides), diagnostics_(diagnostics), notes_(notes) {}

  SweepTable read(const Table& sweep) {
    const std::vector<std::string> known = {"matrix", "zip",        "include", "exclude",
                                            "repeat", "on_failure", "order",   "blocks"};
    for (const Entry& entry : sweep)
      if (std::ranges::find(known, entry.key) == known.end())
        diagnostics_.add({Fault::unknown_key, entry.place, fmt::format("unknown key \"sweep.{}\"", entry.key),
                          fmt::format("{}", fmt::join(known, ", ")), did_you_mean(entry.key, known)});
    read_matrix(find(sweep, "matrix"));
    read_zip(find(sweep, "zip"));
    result_.include = settings_lists(find(sweep, "include"), "include");
    read_exclude(find(sweep, "exclude"));
    result_.has_product = find(sweep, "matrix") || find(sweep, "zip") || !find(sweep, "include");
    read_seeds(find(sweep, "repeat"));
    const std::string on_failure = choice(find(sweep, "on_failure"), {"stop", "continue"});
    result_.continue_after_failure = on_failure == "continue";
    result_.order = choice(find(sweep, "order"), {"listed", "shuffled", "by_seed", "interleaved"});
    read_blocks(find(sweep, "blocks"));
    return std::move(result_);
  }

 private:
  const Table* table_of(const Entry* entry, std::string_view name, std::string hint = {}) {
    if (!entry) return nullptr;
    if (!entry->node.table())
      diagnostics_.add({Fault::wrong_type, entry->node.place,
                        fmt::format("\"sweep.{}\" is {}", name, type_name(entry->node)), "a table",
                        std::move(hint)});
    return entry->node.table();
  }

  /// False where the key cannot be swept, which is reported, or is not to be, which is noted.
  bool usable(const Entry& entry, const std::vector<std::string>& path) {
    if (entry.node.table()) {
      diagnostics_.add({Fault::sweep, entry.place, fmt::format("\"{}\" is a table", entry.key),
                        "a list of values for a key",
                        std::string("the dotted name of a key stands in quotes: ") + example});
      return false;
    }
    if (std::ranges::find(path, "") != path.end() || path.front() == "extends" || path.front() == "sweep" ||
        path.size() > most_nested) {
      diagnostics_.add({Fault::sweep, entry.place, fmt::format("\"{}\" cannot be swept", entry.key),
                        "a list of values for a key", std::string("write ") + example});
      return false;
    }
    if (const TomlNode* set = at_path(overrides_, path)) {
      notes_.push_back(fmt::format("{}: note: \"{}\" is not swept: {} sets it", text_of(entry.place),
                                   entry.key, text_of(set->place)));
      return false;
    }
    return true;
  }

  /// One key with its values, as an axis; empty where it is not to be used.
  Axis axis_of(const Entry& entry) {
    const Array* values = entry.node.array();
    if (!entry.node.table() && (!values || values->empty())) {
      diagnostics_.add({Fault::sweep, entry.node.place,
                        values ? fmt::format("\"{}\" has no values", entry.key)
                               : fmt::format("\"{}\" is {}", entry.key, type_name(entry.node)),
                        "a list of values for a key", std::string("write ") + example});
      return {};
    }
    const std::vector<std::string> path = split_path(entry.key);
    if (!usable(entry, path)) return {};
    for (const Axis& axis : result_.axes)
      for (const Setting& setting : axis.front())
        if (setting.path == path) {
          diagnostics_.add({Fault::sweep,
                            entry.place,
                            fmt::format("\"{}\" is swept twice", entry.key),
                            {},
                            "it is also swept at " + text_of(setting.entry->place)});
          return {};
        }
    Axis axis;
    for (const TomlNode& value : *values) axis.push_back({{&entry, path, &value}});
    return axis;
  }

  void read_matrix(const Entry* entry) {
    const Table* matrix = table_of(entry, "matrix");
    if (!matrix) return;
    for (const Entry& key : *matrix)
      if (Axis axis = axis_of(key); !axis.empty()) result_.axes.push_back(std::move(axis));
  }

  void read_zip(const Entry* entry) {
    const Table* zip = table_of(entry, "zip");
    if (!zip) return;
    Axis together;
    for (const Entry& key : *zip) {
      const Axis axis = axis_of(key);
      if (axis.empty()) continue;
      if (!together.empty() && axis.size() != together.size()) {
        diagnostics_.add({Fault::sweep, key.place,
                          fmt::format("\"{}\" has {} values, and \"{}\" has {}", key.key, axis.size(),
                                      together.front().front().entry->key, together.size()),
                          "lists of one length in [sweep.zip]",
                          "for every combination of the values, use [sweep.matrix]"});
        return;
      }
      if (together.empty()) together.resize(axis.size());
      for (std::size_t i = 0; i < axis.size(); ++i) together[i].push_back(axis[i].front());
    }
    if (!together.empty()) result_.axes.push_back(std::move(together));
  }

  /// A list of tables, each with keys and single values.
  std::vector<Settings> settings_lists(const Entry* entry, std::string_view name) {
    std::vector<Settings> result;
    if (!entry) return result;
    const Array* tables = entry->node.array();
    const auto refuse = [&](const TomlNode& node) {
      diagnostics_.add(
          {Fault::sweep, node.place,
           fmt::format("\"sweep.{}\" {} {}", name, &node == &entry->node ? "is" : "has in it",
                       type_name(node)),
           fmt::format("tables: [[sweep.{}]]", name),
           fmt::format("write [[sweep.{}]] and, below it, \"precision.use\" = \"mixed\"", name)});
    };
    if (!tables) return refuse(entry->node), result;
    for (const TomlNode& node : *tables) {
      if (!node.table()) {
        refuse(node);
        continue;
      }
      Settings settings;
      for (const Entry& key : *node.table()) {
        const std::vector<std::string> path = split_path(key.key);
        if (usable(key, path)) settings.push_back({&key, path, &key.node});
      }
      result.push_back(std::move(settings));
      if (name == "exclude") result_.exclude_places.push_back(node.place);
    }
    return result;
  }

  void read_exclude(const Entry* entry) {
    result_.exclude = settings_lists(entry, "exclude");
    std::vector<std::string> swept;
    for (const Axis& axis : result_.axes)
      for (const Setting& setting : axis.front()) swept.push_back(setting.entry->key);
    for (const Settings& settings : result_.exclude)
      for (const Setting& setting : settings)
        if (std::ranges::find(swept, setting.entry->key) == swept.end())
          diagnostics_.add(
              {Fault::sweep, setting.entry->place,
               fmt::format("\"{}\" is not swept, so nothing can be excluded by it", setting.entry->key),
               swept.empty() ? "a key of [sweep.matrix] or [sweep.zip]"
                             : fmt::format("{}", fmt::join(swept, ", ")),
               did_you_mean(setting.entry->key, swept)});
  }

  void read_seeds(const Entry* entry) {
    const Table* repeat = table_of(entry, "repeat", write_seeds);
    if (!repeat) return;
    const Entry* seeds = find(*repeat, "seeds");
    for (const Entry& key : *repeat)
      if (key.key != "seeds")
        diagnostics_.add({Fault::unknown_key, key.place,
                          fmt::format("unknown key \"sweep.repeat.{}\"", key.key), "seeds",
                          did_you_mean(key.key, std::vector<std::string>{"seeds"})});
    if (!seeds) {
      diagnostics_.add({Fault::missing_key, entry->place, "\"sweep.repeat.seeds\" is missing",
                        "a list of seeds", write_seeds});
      return;
    }
    if (!seeds->node.array() || seeds->node.array()->empty()) {
      diagnostics_.add({Fault::sweep, seeds->node.place,
                        seeds->node.array()
                            ? "\"sweep.repeat.seeds\" has no values"
                            : fmt::format("\"sweep.repeat.seeds\" is {}", type_name(seeds->node)),
                        "a list of seeds", write_seeds});
      return;
    }
    const std::vector<std::string> path{"experiment", "seed"};
    if (const TomlNode* set = at_path(overrides_, path)) {
      notes_.push_back(fmt::format("{}: note: the seeds are not repeated: {} sets \"experiment.seed\"",
                                   text_of(seeds->place), text_of(set->place)));
      return;
    }
    Axis axis;
    for (const TomlNode& seed : *seeds->node.array()) axis.push_back({{seeds, path, &seed}});
    result_.axes.push_back(std::move(axis));
    result_.has_seeds = true;
  }

  void read_blocks(const Entry* entry) {
    if (result_.order == "interleaved") result_.blocks = default_blocks;
    if (!entry) return;
    const std::int64_t* blocks = entry->node.integer();
    const std::string expected = fmt::format("an integer from 2 to {}", most_blocks);
    if (!blocks)
      diagnostics_.add({Fault::wrong_type, entry->node.place,
                        fmt::format("\"sweep.blocks\" is {}", type_name(entry->node)), expected});
    else if (*blocks < 2 || *blocks > most_blocks)
      diagnostics_.add(
          {Fault::out_of_range, entry->node.place, fmt::format("\"sweep.blocks\" is {}", *blocks), expected});
    else if (result_.order != "interleaved")
      diagnostics_.add({Fault::sweep, entry->place, "\"sweep.blocks\" has no effect",
                        "order = \"interleaved\" beside it", "only trials that take turns train in blocks"});
    else
      result_.blocks = static_cast<std::size_t>(*blocks);
  }

  /// The first choice is the default.
  std::string choice(const Entry* entry, const std::vector<std::string>& choices) {
    if (!entry) return choices.front();
    const std::string* text = entry->node.string();
    const std::string expected = fmt::format("one of \"{}\"", fmt::join(choices, "\", \""));
    if (text && std::ranges::find(choices, *text) != choices.end()) return *text;
    if (!text)
      diagnostics_.add({Fault::wrong_type, entry->node.place,
                        fmt::format("\"sweep.{}\" is {}", entry->key, type_name(entry->node)), expected});
    else
      diagnostics_.add({Fault::not_a_choice, entry->node.place,
                        fmt::format("\"sweep.{}\" cannot be \"{}\"", entry->key, *text), expected,
                        did_you_mean(*text, choices)});
    return choices.front();
  }

  const Table& overrides_;
  Diagnostics& diagnostics_;
  std::vector<std::string>& notes_;
  SweepTable result_;
};

}  // namespace

SweepTable read_sweep(const Entry& sweep, const Table& overrides, Diagnostics& diagnostics,
                      std::vector<std::string>& notes) {
  if (sweep.node.table()) return SweepReader(overrides, diagnostics, notes).read(*sweep.node.table());
  diagnostics.add({Fault::wrong_type, sweep.node.place, fmt::format("\"sweep\" is {}", type_name(sweep.node)),
                   "the table [sweep.matrix]"});
  SweepTable empty;
  empty.has_product = true;
  return empty;
}

}  // namespace halfling::config
