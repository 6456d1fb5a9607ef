// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/tables.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

/// Of one kind of values: "bf16 96 %, f32 4 %".
std::string shares_text(const ordered_json& elements) {
  double all = 0;
  for (const auto& [format, count] : elements.items()) all += count.is_number() ? count.get<double>() : 0;
  std::string text;
  for (const auto& [format, count] : elements.items()) {
    if (!count.is_number()) continue;
    const double percent = 100 * count.get<double>() / all;
    if (!text.empty()) text += ", ";
    text += elements.size() == 1 ? format : fmt::format("{} {:.{}f} %", format, percent, percent < 1 ? 1 : 0);
  }
  return text;
}

ordered_json formats_of(const Setting& setting) {
  const ordered_json& environment = setting.runs.front().environment;
  const auto found = environment.find("formats");
  return found != environment.end() && found->is_object() ? *found : ordered_json::object();
}

}  // namespace

TableRows formats_table(const Report& report) {
  TableRows rows{{"setting"}};
  for (const Setting& setting : report.settings) {
    const ordered_json formats = formats_of(setting);
    for (const auto& [kind, elements] : formats.items())
      if (std::ranges::find(rows[0], kind) == rows[0].end()) rows[0].push_back(kind);
  }
  if (rows[0].size() == 1) return {};
  for (const Setting& setting : report.settings) {
    const ordered_json formats = formats_of(setting);
    rows.push_back({setting.name});
    for (std::size_t i = 1; i < rows[0].size(); ++i) {
      const auto found = formats.find(rows[0][i]);
      rows.back().push_back(found == formats.end() || !found->is_object() ? "-" : shares_text(*found));
    }
  }
  return rows;
}

}  // namespace halfling
