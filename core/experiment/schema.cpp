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
      properties[table.name] = table.component ? component(table) : plain(table);
    properties["sweep"] = sweep();
    ordered_json result = {{"$schema", "http://json-schema.org/draft-04/schema#"},
                           {"title", "halfling experiment"}};
    result.update(closed_object(std::move(properties)));
    result["definitions"] = {{"settings", settings(false)}, {"swept", settings(true)}};
    return result;
  }

 private:
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

  ordered_json plugin_properties(std::string_view kind, const std::string& plugin) const {
    ordered_json result = ordered_json::object();
    for (const OptionRule& rule : rules_of(catalog_, kind, plugin))
      result[rule.declaration.name] = schema_of(rule, fmt::format("{} {}", kind, plugin));
    return result;
  }

  /// What stands in a component table beside `use`.
  ordered_json beside_use(const CoreTable& table, const ordered_json& options) const {
    ordered_json result = core_properties(table);
    result.update(options);
    if (std::string_view(table.name) == "optimizer")
      result["operation"] = {{"description", "other values for one training operation, by its name"},
                             {"type", "object"},
                             {"additionalProperties", closed_object(options)}};
    return result;
  }

  ordered_json component(const CoreTable& table) {
    std::vector<std::string> names = catalog_.names(table.name);
    if (std::string_view(table.name) == "backend") names.insert(names.begin(), "auto");
    Union all;
    ordered_json choices = ordered_json::array();
    for (const std::string& name : names) {
      const PluginDescriptor* plugin = catalog_.descriptor(table.name, name);
      const ordered_json options = plugin_properties(table.name, name);
      all.add(options);
      ordered_json properties = {{"use", {{"enum", {name}}}}};
      properties["use"]["description"] = plugin ? plugin->summary : "the fastest one that has a device here";
      properties.update(beside_use(table, options));
      ordered_json choice = closed_object(std::move(properties));
      choice["required"] = {"use"};
      choices.push_back(std::move(choice));
    }
    const ordered_json options = all.properties();
    ordered_json open = {{"use", reference()}};
    open.update(beside_use(table, options));
    choices.push_back(closed_object(std::move(open)));
    settings_[fmt::format("{}.use", table.name)] = or_reference({{"enum", names}});
    ordered_json own = core_properties(table);
    own.update(options);
    add_settings(table.name, own);
    if (std::string_view(table.name) == "optimizer") operation_options_ = options;
    return {{"oneOf", std::move(choices)}};
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
      properties[table.name] = value(refer(fmt::format("#/properties/{}", table.name)));
    result["patternProperties"] = {{"^vars\\.", value({{"not", {{"type", "object"}}}})}};
    for (const auto& [key, schema] : operation_options_.items())
      result["patternProperties"][fmt::format("^optimizer\\.operation\\..+\\.{}$", key)] = value(schema);
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
                          {"order", {{"enum", {"listed", "shuffled", "by_seed"}}}}});
  }

  void add_settings(std::string_view table, const ordered_json& properties) {
    for (const auto& [key, schema] : properties.items()) settings_[fmt::format("{}.{}", table, key)] = schema;
  }

  const PluginCatalog& catalog_;
  ordered_json settings_ = ordered_json::object();  ///< "optimizer.beta1" -> what it accepts
  ordered_json operation_options_ = ordered_json::object();
};

}  // namespace

std::string experiment_schema(const PluginCatalog& catalog) {
  return SchemaWriter(catalog).document().dump(2) + "\n";
}

}  // namespace halfling
