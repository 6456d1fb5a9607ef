// SPDX-License-Identifier: Apache-2.0
// How a list of components is read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.hpp"
#include "experiment/element_list.hpp"
#include "experiment/resolver.hpp"

namespace halfling::config {

/// nullopt where there is nothing to go by: it changes an element that is not there.
std::optional<NamedChoice> Resolver::read_element(const CoreTable& table, const Entry& element,
                                                  const std::vector<std::string>& names) {
  Section section;
  section.name = fmt::format("{}.{}", table.name, element.key);
  section.given = element.node.table();
  section.header = element.place;
  section.rules.assign(table.options.begin(), table.options.end());
  const Entry* use = find(*section.given, "use");
  if (!use) {
    check_misspelt_use(section);
    const bool plugin = catalog_.descriptor(table.name, element.key) != nullptr;
    report_missing(section.name + ".use",
                   {Fault::unknown_key, section.header,
                    fmt::format("the experiment has no {} named \"{}\"", table.name, element.key),
                    names.empty() ? fmt::format("an element of [[{}]], and there is none", table.name)
                                  : fmt::format("one of \"{}\"", fmt::join(names, "\", \"")),
                    plugin ? fmt::format("a new one needs use = \"{}\"", element.key)
                           : did_you_mean(element.key, names)});
    return std::nullopt;
  }
  if (use->node.string() && *use->node.string() != element.key)
    add_line(section, "name", toml_string(element.key), &use->node);
  ComponentTable read = read_component(table, section);
  return NamedChoice{std::move(read.choice), element.key,
                     optional_value<bool>(read.own, "required").value_or(false)};
}

std::vector<NamedChoice> Resolver::read_list(std::string_view kind) {
  std::vector<NamedChoice> result;
  const CoreTable& table = *core_table(kind);
  const Entry* list = find(*root_, kind);
  if (!list || !list->node.table()) return result;
  std::vector<std::string> names;
  for (const Entry& entry : *list->node.table())
    if (entry.node.table() && find(*entry.node.table(), "use")) names.push_back(entry.key);
  for (const Entry& entry : *list->node.table()) {
    if (entry.node.array())
      report_not_removed(kind, *entry.node.array(), names);
    else if (auto element = read_element(table, entry, names))
      result.push_back(std::move(*element));
  }
  return result;
}

/// What no file below has.
void Resolver::report_not_removed(std::string_view kind, const Array& remove,
                                  const std::vector<std::string>& names) {
  for (const TomlNode& name : remove) {
    const std::string text = short_text(name);  // a variable's value may be no text
    if (text != every_element)
      diagnostics_.add({Fault::list_edit, name.place,
                        fmt::format("\"{}\" has no element \"{}\" to remove", kind, text),
                        "the name of an element of a file below", did_you_mean(text, names)});
  }
}

}  // namespace halfling::config
