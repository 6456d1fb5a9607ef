// SPDX-License-Identifier: Apache-2.0
// Which tables an experiment has, and what each means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/uuid/detail/sha1.hpp>

#include "experiment/resolver.hpp"
#include "experiment/units.hpp"
#include "plugin/suggest.hpp"

namespace halfling::config {
namespace {

template <class T>
std::optional<T> optional_value(const Options& options, std::string_view name) {
  const auto found = options.values().find(name);
  if (found == options.values().end()) return std::nullopt;
  return std::get<T>(found->second);
}

std::optional<Interval> interval_of(const Options& options) {
  const auto text = optional_value<std::string>(options, "every");
  return text ? parse_interval(*text) : std::nullopt;
}

std::int64_t integer_or_zero(const Options& options, std::string_view name) {
  return optional_value<std::int64_t>(options, name).value_or(0);
}

std::string sha1_prefix(const std::string& text) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(text.data(), text.size());
  boost::uuids::detail::sha1::digest_type digest;
  hash.get_digest(digest);
  return fmt::format("{:08x}{:04x}", digest[0], digest[1] >> 16);
}

bool is_bare_key(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(),
                                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

}  // namespace

// "auto" leaves the plugin open, so only options that every backend declares can be given.
std::vector<OptionRule> rules_of(const PluginCatalog& catalog, std::string_view kind, std::string_view use) {
  std::vector<OptionRule> rules;
  const bool any = kind == "backend" && use == "auto";
  const auto names = any ? catalog.names(kind) : std::vector<std::string>{std::string(use)};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PluginDescriptor* plugin = catalog.descriptor(kind, names[i]);
    const std::span declared(plugin->options, plugin->option_count);
    if (i == 0) {
      for (const OptionDeclaration& option : declared) rules.push_back({option});
      continue;
    }
    std::erase_if(rules, [&](const OptionRule& rule) {
      return std::none_of(declared.begin(), declared.end(), [&](const OptionDeclaration& option) {
        return std::string_view(option.name) == rule.declaration.name && option.type == rule.declaration.type;
      });
    });
  }
  return rules;
}

// The plugin's name, empty where it is not usable (and reported).
std::string Resolver::read_use(Section& section, std::string_view kind) {
  std::vector<std::string> names = catalog_.names(kind);
  if (kind == "backend") names.insert(names.begin(), "auto");
  const std::string expected =
      names.empty() ? fmt::format("a plugin, but no {} was found: see `halfling plugins`", kind)
                    : fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
  const Entry* entry = section.given ? find(*section.given, "use") : nullptr;
  if (!entry) {
    if (kind == "backend") return add_line(section, "use", "\"auto\"", nullptr), "auto";
    diagnostics_.add({Fault::missing_key, section.header, fmt::format("\"{}.use\" is missing", kind),
                      expected, section.given ? "" : fmt::format("add a table [{}] with the key use", kind)});
    return {};
  }
  const std::string* use = entry->node.string();
  if (!use) {
    diagnostics_.add({Fault::wrong_type, entry->node.place,
                      fmt::format("\"{}.use\" is {}", kind, type_name(entry->node)), expected});
    return {};
  }
  if (std::find(names.begin(), names.end(), *use) == names.end()) {
    const std::string missing = catalog_.missing_hint(kind, *use);
    diagnostics_.add({Fault::unknown_plugin, entry->node.place,
                      fmt::format("no {} is named \"{}\"", kind, *use), expected,
                      missing.empty() ? did_you_mean(*use, names) : missing});
    return {};
  }
  add_line(section, "use", toml_string(*use), &entry->node);
  return *use;
}

Choice Resolver::read_choice(std::string_view kind) {
  Section table = section(kind);
  if (!table.readable) return {};

  const std::vector<OptionRule> core_rules = table.rules;
  Choice choice{read_use(table, kind), {}};
  Options core;
  if (!choice.use.empty()) {
    table.rules = rules_of(catalog_, kind, choice.use);
    table.with_defaults = choice.use != "auto" || kind != "backend";
    if (const PluginDescriptor* plugin = catalog_.descriptor(kind, choice.use))
      table.owner = fmt::format("{} {}", plugin->name, plugin->version);
    table.other_keys = {"use"};
    for (const OptionRule& rule : core_rules) table.other_keys.emplace_back(rule.declaration.name);
    if (kind == "optimizer") table.other_keys.emplace_back("operation");
    read_options(table, choice.options);
  }
  Section own = section(kind);
  for (const OptionRule& rule : core_rules) read_option(own, rule, core);
  if (kind == "loss_scaler") {
    result_.scope =
        optional_value<std::string>(core, "scope") == "shared" ? ScalerScope::shared : ScalerScope::operation;
    result_.skip_together = optional_value<std::string>(core, "skip") == "any";
    result_.patience = integer_or_zero(core, "patience");
  }
  if (kind == "optimizer" && !choice.use.empty()) {
    result_.optimizer = choice;
    read_operations(table);
  }
  return choice;
}

void Resolver::read_operations(const Section& optimizer) {
  const Entry* operations = optimizer.given ? find(*optimizer.given, "operation") : nullptr;
  if (!operations) return;
  const auto refuse = [&](const Node& node, const std::string& key) {
    diagnostics_.add({Fault::wrong_type, node.place, fmt::format("\"{}\" is {}", key, type_name(node)),
                      "a table: [optimizer.operation.NAME]"});
  };
  if (!operations->node.table()) return refuse(operations->node, "optimizer.operation");
  std::vector<const Entry*>
      sorted;  // the order of a resolved document must not depend on the order of the keys
  for (const Entry& entry : *operations->node.table()) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
  for (const Entry* entry : sorted) {
    Section section = optimizer;
    section.name = "optimizer.operation." + (is_bare_key(entry->key) ? entry->key : toml_string(entry->key));
    section.given = entry->node.table();
    section.header = entry->place;
    section.other_keys.clear();
    section.with_defaults = false;
    if (!section.given) {
      refuse(entry->node, section.name);
      continue;
    }
    Options options = result_.optimizer.options;
    read_options(section, options);
    if (!section.given->empty()) result_.optimizer_of[entry->key] = std::move(options);
  }
}

void Resolver::read_budget() {
  const Options options = read_core("budget");
  result_.budget = {
      optional_value<double>(options, "time"), optional_value<std::int64_t>(options, "iterations"),
      optional_value<std::int64_t>(options, "epochs"), optional_value<std::int64_t>(options, "samples")};
  const Section budget = section("budget");
  const bool any =
      budget.given && std::any_of(budget.rules.begin(), budget.rules.end(), [&](const OptionRule& rule) {
        return find(*budget.given, rule.declaration.name) != nullptr;
      });
  if (any || !budget.readable) return;

  diagnostics_.add({Fault::missing_key, budget.header, "the experiment has no budget",
                    "at least one of time, iterations, epochs, samples in [budget]",
                    "write [budget] and, below it, time = \"7min\""});
}

// It names a folder, too.
void Resolver::check_name(const std::string& name) {
  const bool safe =
      !name.starts_with('.') && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
      });
  if (name.empty() || safe) return;
  const Node* node = at_path(*root_, {"experiment", "name"});
  diagnostics_.add({Fault::bad_value, node->place, fmt::format("\"experiment.name\" cannot be \"{}\"", name),
                    "letters, digits, \"-\", \"_\" and \".\", not starting with \".\", at most 100",
                    "the runs are kept in a folder of this name"});
}

void Resolver::read_settings() {
  read_budget();
  const Options sample = read_core("sample");
  result_.sample = {interval_of(sample).value_or(Interval{}), integer_or_zero(sample, "rows"),
                    static_cast<std::uint64_t>(integer_or_zero(sample, "seed"))};
  result_.metrics = {interval_of(read_core("metrics")).value_or(Interval{})};
  const Options monitor = read_core("monitor");
  result_.monitor = {
      interval_of(monitor),
      optional_value<std::vector<std::string>>(monitor, "values").value_or(std::vector<std::string>{})};
  const Options checkpoint = read_core("checkpoint");
  result_.checkpoint = {interval_of(checkpoint), integer_or_zero(checkpoint, "keep")};
}

Experiment Resolver::resolve(const Table& root, const Place& file) {
  root_ = &root;
  file_ = file;
  result_ = {};
  lines_.clear();
  check_tables(root);
  const Options experiment = read_core("experiment");
  result_.name = optional_value<std::string>(experiment, "name").value_or("");
  check_name(result_.name);
  result_.seed = static_cast<std::uint64_t>(integer_or_zero(experiment, "seed"));
  result_.backend = read_choice("backend");
  result_.precision = read_choice("precision");
  result_.loss_scaler = read_choice("loss_scaler");
  result_.dataset = read_choice("dataset");
  const Options input = read_core("input");
  result_.input = {integer_or_zero(input, "batch_size"), integer_or_zero(input, "prefetch"),
                   integer_or_zero(input, "workers"), optional_value<bool>(input, "shuffle").value_or(true)};
  result_.architecture = read_choice("architecture");
  result_.optimizer = read_choice("optimizer");
  read_settings();
  result_.toml = document();
  result_.id = sha1_prefix(result_.toml);
  for (Line& line : lines_) result_.origins.push_back(std::move(line.origin));
  return std::move(result_);
}

std::string Resolver::document() const {
  std::string text = "# A resolved experiment: every value, nothing inherited.\n";
  std::string table;
  for (const Line& line : lines_) {
    if (line.table != table) text += fmt::format("\n[{}]\n", line.table);
    table = line.table;
    text += fmt::format("{} = {}\n", line.key, line.origin.value);
  }
  return text;
}

}  // namespace halfling::config
