// SPDX-License-Identifier: Apache-2.0
#include "experiment/located.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment/element_list.hpp"
#include "experiment/home.hpp"
#include "experiment/toml_reader.hpp"
#include "experiment/value.hpp"

namespace halfling::config {
namespace {

/// A key of the experiment, and where it stands.
struct Spot {
  std::string key;
  Place place;
};

std::vector<std::string> parts_of(const std::string& where) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < where.size();) {
    const std::size_t end = std::min(where.find(", ", begin), where.size());
    parts.push_back(where.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

const Origin* origin_of(const Experiment& experiment, const std::string& key) {
  const auto found = std::ranges::find(experiment.origins, key, &Origin::key);
  return found == experiment.origins.end() ? nullptr : &*found;
}

/// The list at this place, or one inside it.
const Array* list_at(const TomlNode& node, const Place& place) {
  if (node.array() && node.place == place) return node.array();
  const Array* found = nullptr;
  if (node.table())
    for (const Entry& entry : *node.table())
      if (!found) found = list_at(entry.node, place);
  if (node.array())
    for (const TomlNode& element : *node.array())
      if (!found) found = list_at(element, place);
  return found;
}

/// Places of elements and of headers are not kept: the text is read once more for them.
std::optional<TomlNode> document(const Place& place) {
  Diagnostics ignored;
  auto table = place.source ? read_toml(*place.source, ignored) : std::nullopt;
  if (!table) return std::nullopt;
  return TomlNode{std::move(*table), {}, {}, {}};
}

Place element_of(const Place& place, const std::string& text) {
  const auto root = text.empty() ? std::nullopt : document(place);
  const Array* list = root ? list_at(*root, place) : nullptr;
  if (list)
    for (const TomlNode& element : *list)
      if (element.string() && *element.string() == text) return element.place;
  return place;
}

/// Of "optimizer.operation.gen", in the text that has this value of it; else the value's own.
Place header_of(const Place& place, const std::string& table) {
  auto root = document(place);
  Diagnostics ignored;
  if (root) name_elements(std::get<Table>(root->value), ignored);
  const Entry* entry = nullptr;
  const Table* level = root ? root->table() : nullptr;
  for (const std::string& part : split_path(table)) {
    entry = level ? find(*level, part) : nullptr;
    level = entry ? entry->node.table() : nullptr;
  }
  return entry ? entry->place : place;
}

/// The first option among these names that the experiment gives, else the first that has its default.
std::optional<Spot> option_spot(const Experiment& experiment, const std::vector<std::string>& names,
                                const std::string& got) {
  std::optional<Spot> by_default;
  for (const std::string& name : names) {
    const Origin* origin = origin_of(experiment, name);
    if (origin && origin->place.source) return Spot{name, element_of(origin->place, got)};
    if (origin && !by_default) by_default = Spot{name, {}};
    for (const Origin& inner : experiment.origins)
      if (inner.key.starts_with(name + ".") && name.find('.') != std::string::npos && inner.place.source)
        return Spot{name, header_of(inner.place, name)};
  }
  return by_default;
}

/// The option whose value is this file, or a folder that it lies in.
std::optional<Spot> path_spot(const Experiment& experiment, const std::string& where) {
  std::optional<Spot> result;
  std::size_t longest = 0;
  for (const Origin& origin : experiment.origins) {
    const auto node = read_toml_value(origin.value, nullptr);
    if (!node || !node->string() || !node->string()->starts_with('/')) continue;
    const std::string& path = *node->string();
    const bool inside = where.starts_with(path) && (where.size() == path.size() || where[path.size()] == '/');
    if (!inside || path.size() <= longest) continue;
    result = Spot{origin.key, origin.place};
    longest = path.size();
  }
  return result;
}

/// Less the plugin and its call, which the boundary adds: it is the experiment's fault.
std::string without_plugin(const std::string& where) {
  const std::size_t plugin = where.find(" of plugin ");
  if (plugin == std::string::npos) return where;
  const std::size_t end = where.rfind(", in ", plugin);
  return end == std::string::npos ? "" : where.substr(0, end);
}

Diagnostics::Report report_of(const Experiment& experiment, const ErrorDetails& error,
                              std::string_view table) {
  const std::string where = without_plugin(error.where);
  std::optional<Spot> spot = option_spot(experiment, parts_of(where), error.got);
  const bool option = spot.has_value();
  if (!spot) spot = path_spot(experiment, where);
  const Origin* use = origin_of(experiment, std::string(table) + ".use");
  Diagnostics::Report report{Fault::meaning, experiment.file, error.what, error.expected, error.hint, {},
                             error.got};
  if (spot && spot->place.source)
    report.place = spot->place;
  else if (use && use->place.source)
    report.place = use->place;
  if (spot) report.message = fmt::format("\"{}\": {}", spot->key, error.what);
  if (option && line_of(report.place).find(error.got) != std::string::npos)
    report.got.clear();  // it is shown
  if (!option && where != table) report.where = where;
  if (const std::string variables = variable_hint(where); !option && !variables.empty())
    report.hint = variables;
  return report;
}

}  // namespace

ErrorDetails of_element(ErrorDetails error, std::string_view kind, std::string_view name) {
  const std::string own = fmt::format("{}.", kind), element = fmt::format("{}.{}", kind, name);
  std::string where;
  for (const std::string& part : parts_of(error.where))
    where +=
        (where.empty() ? "" : ", ") + (part.starts_with(own) ? element + part.substr(own.size() - 1) : part);
  if (without_plugin(where).empty()) where = element + (where.empty() ? "" : ", in ") + where;
  error.where = std::move(where);
  for (ErrorDetails& other : error.others) other = of_element(std::move(other), kind, name);
  return error;
}

std::vector<Diagnostics::Report> located(const Experiment& experiment, const ErrorDetails& error,
                                         std::string_view table) {
  std::vector<Diagnostics::Report> reports{report_of(experiment, error, table)};
  for (const ErrorDetails& other : error.others) reports.push_back(report_of(experiment, other, table));
  return reports;
}

}  // namespace halfling::config
