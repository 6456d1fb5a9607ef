// SPDX-License-Identifier: Apache-2.0
#include "experiment/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "experiment/resolver.hpp"
#include "experiment/schema_value.hpp"

namespace halfling {

using namespace config;

namespace {

using nlohmann::ordered_json;

ordered_json closed_object(ordered_json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

ordered_json list_of(ordered_json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}

ordered_json any_of(const std::vector<ordered_json>& schemas) {
  return schemas.size() == 1 ? schemas.front() : ordered_json{{"anyOf", schemas}};
}

/// What any of several plugins accepts, by key.
class Union {
 public:
  void add(const ordered_json& properties) {
    for (const auto& [key, schema] : properties.items()) {
      auto& known = schemas_[key];
      if (std::find(known.begin(), known.end(), schema) == known.end()) known.push_back(schema);
    }
  }
  ordered_json properties() const {
    ordered_json result = ordered_json::object();
    for (const auto& [key, schemas] : schemas_) result[key] = any_of(schemas);
    return result;
  }

 private:
  std::map<std::string, std::vector<ordered_json>> schemas_;
};

class SchemaWriter {
 public:
  explicit SchemaWriter(const PluginCatalog& catalog) : catalog_(catalog) {}

  ordered_json document() {
    ordered_json properties;
    properties["extends"] = {{"description", "files that this one is laid over, the later over the earlier"},
                             {"type", "array"},
                             {"items", {{"type", "string"}, {"minLength", 1}}}};
    properties["vars"] = {{"description", "values for references such as \"${vars.NAME}\""},
                          {"type", "object"},
                          {"additionalProperties", {{"not", {{"type", "object"}}}}}};
    for (const CoreTable& table : core_tables())
      if (ordered_json schema = schema_of_table(table); !schema.is_null())
        properties[table.name] = std::move(schema);
    properties["sweep"] = sweep();
    ordered_json result = {{"$schema", "http://json-schema.org/draft-04/schema#"},
                           {"title", "halfling experiment"}};
    result.update(closed_object(std::move(properties)));
    result["definitions"] = {{"settings", settings(false)}, {"swept", settings(true)}};
    return result;
  }

 private:
  /// Null where nothing can be in it: a list of a kind that no plugin is of.
  ordered_json schema_of_table(const CoreTable& table) {
    if (table.plugins == Plugins::none) return plain(table);
    if (table.plugins == Plugins::one) return {{"oneOf", component(table)}};
    return catalog_.names(table.name).empty() ? ordered_json() : list(table);
  }

  ordered_json core_properties(const CoreTable& table) const {
    ordered_json result = ordered_json::object();
    for (const OptionRule& rule : table.options) result[rule.declaration.name] = schema_of(rule, table.name);
    return result;
  }

  ordered_json plain(const CoreTable& table) {
    const ordered_json properties = core_properties(table);
    add_settings(table.name, properties);
    return closed_object(properties);
  }

  ordered_json plugin_properties(const CoreTable& table, const std::string& plugin) const {
    ordered_json result = ordered_json::object();
    for (const OptionRule& rule : rules_of(catalog_, table, plugin))
      result[rule.declaration.name] = schema_of(rule, fmt::format("{} {}", table.name, plugin));
    return result;
  }

  /// A table that names what it is of with one key: with each choice, what goes with it; without one, what
  /// goes with the choice that a table above has; with a reference, what goes with any.
  static ordered_json chosen(const char* key, const std::map<std::string, ordered_json>& properties_of,
                             const ordered_json& without, const ordered_json& any) {
    ordered_json choices = ordered_json::array();
    choices.push_back(closed_object(without));
    for (const auto& [name, properties] : properties_of) {
      ordered_json all = {{key, {{"enum", {name}}}}};
      all.update(properties);
      ordered_json choice = closed_object(std::move(all));
      choice["required"] = {key};
      choices.push_back(std::move(choice));
    }
    ordered_json open = {{key, reference()}};
    open.update(any);
    choices.push_back(closed_object(std::move(open)));
    return {{"anyOf", std::move(choices)}};
  }

  static ordered_json schedule_properties() {
    ordered_json properties = ordered_json::object();
    for (const OptionRule& rule : schedule_rules())
      properties[rule.declaration.name] = schema_of(rule, schedule_table);
    return properties;
  }

  static ordered_json schedule() {
    std::map<std::string, ordered_json> kinds;
    ordered_json any = ordered_json::object();
    for (const ScheduleKind& kind : schedule_kinds()) {
      ordered_json& properties = kinds[kind.name] = ordered_json::object();
      for (const OptionRule& rule : kind.options)
        properties[rule.declaration.name] = schema_of(rule, schedule_table);
      any.update(properties);
    }
    ordered_json result = {{"description", "how the learning rate goes"}};
    result.update(chosen("kind", kinds, any, any));
    return result;
  }

  static ordered_json with_schedule(const CoreTable& table, ordered_json properties) {
    if (table.scheduled) properties[schedule_table] = schedule();
    return properties;
  }

  /// Of one training operation, which may use another plugin.
  ordered_json operation(const CoreTable& table, const ordered_json& options,
                         const ordered_json& all_options) const {
    std::map<std::string, ordered_json> plugins;
    for (const std::string& name : uses_of(catalog_, table))
      plugins[name] = with_schedule(table, plugin_properties(table, name));
    return chosen("use", plugins, with_schedule(table, options), with_schedule(table, all_options));
  }

  /// What stands in a component table beside `use`. `all_options`: of any plugin.
  ordered_json beside_use(const CoreTable& table, const ordered_json& options,
                          const ordered_json& all_options) const {
    ordered_json result = core_properties(table);
    result.update(options);
    if (table.plugins == Plugins::list)
      result["name"] = {{"description", "what it is addressed by; default: its plugin's name"},
                        {"type", "string"},
                        {"pattern", "^[A-Za-z0-9_-]+$"}};
    if (table.scheduled) result[schedule_table] = schedule();
    if (table.per_operation)
      result["operation"] = {{"description", "other values for one training operation, by its name"},
                             {"type", "object"},
                             {"additionalProperties", operation(table, options, all_options)}};
    return result;
  }

  /// Elements, or, as another file's are addressed, tables by name.
  ordered_json list(const CoreTable& table) {
    const ordered_json elements = {{"type", "array"}, {"items", {{"oneOf", component(table)}}}};
    const ordered_json names = {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}};
    ordered_json by_name = closed_object({{"append", elements}, {"remove", names}});
    by_name["additionalProperties"] = elements["items"];
    settings_[fmt::format("{}.append", table.name)] = elements;
    settings_[fmt::format("{}.remove", table.name)] = names;
    return {{"anyOf", {elements, by_name}}};
  }

  /// The closed objects that a component may be: one for each plugin, then one without its name.
  ordered_json component(const CoreTable& table) {
    const bool list = table.plugins == Plugins::list;
    const std::vector<std::string> names = uses_of(catalog_, table);
    Union all;
    for (const std::string& name : names) all.add(plugin_properties(table, name));
    const ordered_json options = all.properties();
    ordered_json choices = ordered_json::array();
    for (const std::string& name : names) {
      const PluginDescriptor* plugin = catalog_.descriptor(table.name, name);
      ordered_json properties = {{"use", {{"enum", {name}}}}};
      properties["use"]["description"] = plugin ? plugin->summary : table.automatic;
      properties.update(beside_use(table, plugin_properties(table, name), options));
      ordered_json choice = closed_object(std::move(properties));
      choice["required"] = {"use"};
      choices.push_back(std::move(choice));
    }
    ordered_json open = {{"use", reference()}};
    open.update(beside_use(table, options, options));
    choices.push_back(closed_object(std::move(open)));
    ordered_json own = {{"use", or_reference({{"enum", names}})}};
    own.update(core_properties(table));
    own.update(options);
    if (list)
      add_patterns(fmt::format("^{}\\.[^.]+", table.name), own);
    else
      add_settings(table.name, own);
    if (table.scheduled)
      add_settings(fmt::format("{}.{}", table.name, schedule_table), schedule_properties());
    if (table.per_operation) add_operation_patterns(table, options);
    return choices;
  }

  /// Values for dotted keys, or with `lists` several for each.
  ordered_json settings(bool lists) const {
    const auto value = [&](ordered_json schema) { return lists ? list_of(std::move(schema)) : schema; };
    const auto refer = [](const std::string& to) { return ordered_json{{"$ref", to}}; };
    ordered_json result = closed_object(ordered_json::object());
    ordered_json& properties = result["properties"];
    for (const auto& [key, schema] : settings_.items())
      properties[key] = lists ? list_of(refer("#/definitions/settings/properties/" + key)) : schema;
    for (const CoreTable& table : core_tables())
      if (table.plugins != Plugins::list || !catalog_.names(table.name).empty())
        properties[table.name] = value(refer(fmt::format("#/properties/{}", table.name)));
    result["patternProperties"] = {{"^vars\\.", value({{"not", {{"type", "object"}}}})}};
    for (const auto& [pattern, schema] : patterns_.items())
      result["patternProperties"][pattern] = value(schema);
    return result;
  }

  ordered_json sweep() const {
    const ordered_json swept = {{"$ref", "#/definitions/swept"}};
    const ordered_json some = list_of({{"$ref", "#/definitions/settings"}});
    ordered_json seeds = closed_object({{"seeds", list_of({{"type", "integer"}, {"minimum", 0}})}});
    return closed_object({{"matrix", swept},
                          {"zip", swept},
                          {"include", some},
                          {"exclude", some},
                          {"repeat", std::move(seeds)},
                          {"on_failure", {{"enum", {"stop", "continue"}}}},
                          {"order", {{"enum", {"listed", "shuffled", "by_seed", "interleaved"}}}},
                          {"blocks", {{"type", "integer"}, {"minimum", 2}, {"maximum", 1000}}}});
  }

  void add_settings(std::string_view table, const ordered_json& properties) {
    for (const auto& [key, schema] : properties.items()) settings_[fmt::format("{}.{}", table, key)] = schema;
  }

  void add_patterns(const std::string& tables, const ordered_json& properties) {
    for (const auto& [key, schema] : properties.items())
      patterns_[fmt::format("{}\\.{}$", tables, key)] = schema;
  }

  void add_operation_patterns(const CoreTable& table, const ordered_json& all_options) {
    const std::string tables = fmt::format("^{}\\.operation\\..+", table.name);
    ordered_json all = {{"use", or_reference({{"enum", uses_of(catalog_, table)}})}};
    all.update(with_schedule(table, all_options));
    add_patterns(tables, all);
    if (table.scheduled) add_patterns(fmt::format("{}\\.{}", tables, schedule_table), schedule_properties());
  }

  const PluginCatalog& catalog_;
  ordered_json settings_ = ordered_json::object();  ///< "optimizer.beta1" -> what it accepts
  ordered_json patterns_ = ordered_json::object();  ///< the same, by a pattern of keys
};

}  // namespace

std::string experiment_schema(const PluginCatalog& catalog) {
  return SchemaWriter(catalog).document().dump(2) + "\n";
}

}  // namespace halfling
