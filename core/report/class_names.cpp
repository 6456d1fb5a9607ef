// SPDX-License-Identifier: Apache-2.0
#include "report/class_names.hpp"

#include <toml++/toml.h>

#include <string_view>

namespace halfling {

std::vector<std::string> class_names(const RunRecord& run) try {
  const toml::table table = toml::parse("classes = " + run.value("dataset.classes"));
  std::vector<std::string> names;
  if (const toml::array* list = table["classes"].as_array())
    for (const toml::node& name : *list)
      if (const auto text = name.value<std::string>()) names.push_back(*text);
  return names;
} catch (const toml::parse_error&) {  // no such option, or not as halfling writes it
  return {};
}

}  // namespace halfling
