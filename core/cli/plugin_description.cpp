// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_description.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "cli/table.hpp"
#include "experiment/value.hpp"

namespace halfling::cli {
namespace {

using nlohmann::json;

const char* name_of(OptionType type) {
  switch (type) {
    case OptionType::boolean:
      return "boolean";
    case OptionType::integer:
      return "integer";
    case OptionType::number:
      return "number";
    case OptionType::string:
      return "string";
    case OptionType::path:
      return "path";
    case OptionType::duration:
      return "duration";
    case OptionType::size:
      return "size";
    case OptionType::string_list:
      return "list of strings";
    case OptionType::number_list:
      return "list of numbers";
  }
  return "unknown";
}

std::string accepted(const OptionDeclaration& option) {
  if (option.choices != nullptr) return option.choices;
  const bool low = std::isfinite(option.minimum);
  const bool high = std::isfinite(option.maximum);
  if (low && high) return fmt::format("{:.10g} to {:.10g}", option.minimum, option.maximum);
  if (low) return fmt::format("{:.10g} or more", option.minimum);
  return high ? fmt::format("{:.10g} or less", option.maximum) : "";
}

json as_json(const OptionDeclaration& option) {
  json result = {{"name", option.name}, {"type", name_of(option.type)}, {"help", option.help}};
  if (option.unit != nullptr && *option.unit != '\0') result["unit"] = option.unit;
  if (option.default_toml != nullptr) result["default"] = option.default_toml;
  result["required"] = option.default_toml == nullptr;
  if (std::isfinite(option.minimum)) result["minimum"] = option.minimum;
  if (std::isfinite(option.maximum)) result["maximum"] = option.maximum;
  if (option.choices != nullptr) result["choices"] = config::choices_of(option);
  return result;
}

}  // namespace

json as_json(const Plugin& plugin) {
  const PluginDescriptor& d = *plugin.descriptor;
  return {{"kind", d.kind},
          {"name", d.name},
          {"version", d.version},
          {"summary", d.summary},
          {"file", plugin.file.string()}};
}

json as_json(const Refusal& refusal) {
  json result = {{"file", refusal.file.string()}, {"reason", refusal.reason.what}};
  if (!refusal.name.empty()) result["plugin"] = refusal.kind + "/" + refusal.name;
  if (!refusal.reason.got.empty()) result["got"] = refusal.reason.got;
  if (!refusal.reason.expected.empty()) result["expected"] = refusal.reason.expected;
  if (!refusal.reason.hint.empty()) result["hint"] = refusal.reason.hint;
  return result;
}

json options_json(const PluginDescriptor& plugin) {
  json result = json::array();
  for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count))
    result.push_back(as_json(option));
  return result;
}

std::string options_text(const PluginDescriptor& plugin) {
  if (plugin.option_count == 0) return "It has no options.\n";
  bool units = false;
  std::vector<Row> rows = {{"OPTION", "TYPE", "UNIT", "DEFAULT", "ACCEPTS", "MEANING"}};
  for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count)) {
    units = units || (option.unit != nullptr && *option.unit != '\0');
    rows.push_back({option.name, name_of(option.type), option.unit == nullptr ? "" : option.unit,
                    option.default_toml == nullptr ? "required" : option.default_toml, accepted(option),
                    option.help});
  }
  using How = Narrowing::How;
  std::vector<Narrowing> steps = {{"MEANING", How::fold, 24}, {"ACCEPTS", How::cut_end}, {"TYPE", How::drop}};
  if (!units) steps.insert(steps.begin(), {"UNIT", How::drop});
  return table(std::move(rows), output_width(), steps);
}

}  // namespace halfling::cli
