// SPDX-License-Identifier: Apache-2.0
#include "experiment/element_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "experiment/core_tables.hpp"

namespace halfling::config {
namespace {

constexpr const char* allowed = "letters, digits, \"-\" and \"_\", and neither \"append\" nor \"remove\"";

bool is_edit(std::string_view key) {
  return key == "append" || key == "remove";
}

bool is_name(const std::string& name) {
  return !name.empty() && !is_edit(name) &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

/// Of one list in one document.
class ElementNamer {
 public:
  ElementNamer(const Entry& list, Diagnostics& diagnostics) : list_(list), diagnostics_(diagnostics) {}

  Table named() && {
    if (const Table* table = list_.node.table())
      for (const Entry& entry : *table) add_entry(entry);
    if (const Array* elements = list_.node.array()) {
      for (const TomlNode& element : *elements) add_element(element);
      if (elements->empty()) result_.push_back({"remove", list_.place, all_of(list_.node.place)});
    }
    return std::move(result_);
  }

 private:
  static TomlNode all_of(const Place& place) {
    return {Array{{std::string(every_element), place, {}, {}}}, place, {}, {}};
  }

  void report(Fault fault, const Place& place, std::string message, std::string expected, std::string hint) {
    diagnostics_.add({fault, place, std::move(message), std::move(expected), std::move(hint)});
  }

  /// Under its name already, or an edit.
  void add_entry(const Entry& entry) {
    if (is_edit(entry.key)) return add_edit(entry);
    const std::string key = fmt::format("{}.{}", list_.key, entry.key);
    if (!entry.node.table())
      return report(Fault::wrong_type, entry.place, fmt::format("\"{}\" is {}", key, type_name(entry.node)),
                    fmt::format("an element of [[{}]], by its name", list_.key),
                    entry.place.source && entry.place.source->file
                        ? fmt::format("write [[{}]] in double brackets", list_.key)
                        : fmt::format("name the element, too: {}.NAME.{}", list_.key, entry.key));
    if (const Entry* name = find(*entry.node.table(), "name"))
      return report(Fault::bad_value, name->place, fmt::format("\"{}.name\" cannot be set", key),
                    fmt::format("`name` in [[{}]] only", list_.key),
                    "here the element is addressed by its name");
    add(entry.key, entry.place, entry.node, entry.place);
  }

  void add_edit(const Entry& entry) {
    const bool remove = entry.key == "remove";
    const Array* elements = entry.node.array();
    const auto text = [](const TomlNode& node) { return node.string() != nullptr; };
    if (!elements || (remove && !std::ranges::all_of(*elements, text)))
      return report(
          Fault::list_edit, entry.node.place,
          fmt::format("\"{}.{}\" is {}", list_.key, entry.key,
                      elements ? "a list with something else than names in it" : type_name(entry.node)),
          remove ? "a list of names" : "a list of tables", "write it in brackets, even a single one");
    if (remove)
      result_.push_back(entry);
    else
      for (const TomlNode& element : *elements) add_element(element);
  }

  void add_element(const TomlNode& element) {
    if (!element.table())
      return report(Fault::wrong_type, element.place,
                    fmt::format("\"{}\" has {} in it", list_.key, type_name(element)),
                    fmt::format("tables: [[{}]]", list_.key), {});
    const Entry* name = find(*element.table(), "name");
    const Entry* named_by = name ? name : find(*element.table(), "use");
    if (!named_by) return report_nameless(element);
    if (!named_by->node.string())
      return report(Fault::wrong_type, named_by->node.place,
                    fmt::format("\"{}.{}\" is {}", list_.key, named_by->key, type_name(named_by->node)),
                    "a text in quotes", {});
    TomlNode rest = element;
    remove_key(std::get<Table>(rest.value), "name");
    add(*named_by->node.string(), named_by->node.place, std::move(rest), element.place);
  }

  void report_nameless(const TomlNode& element) {
    const std::vector<std::string> known{"use", "name"};
    for (const Entry& entry : *element.table())
      if (const std::string hint = did_you_mean(entry.key, known); !hint.empty())
        return report(Fault::unknown_key, entry.place,
                      fmt::format("unknown key \"{}.{}\"", list_.key, entry.key), "use, name", hint);
    report(Fault::missing_key, element.place, fmt::format("an element of \"{}\" has no `use`", list_.key),
           "`use`, and what the plugin takes; or `name`, and what changes in an element of the file below",
           {});
  }

  /// `written`: where the name stands; `place`: where the element begins.
  void add(const std::string& name, const Place& written, TomlNode element, const Place& place) {
    if (!is_name(name))
      return report(Fault::bad_value, written,
                    fmt::format("an element of \"{}\" cannot be named \"{}\"", list_.key, name), allowed,
                    "an element is named by its plugin, unless it has a `name`");
    if (const Entry* twin = find(result_, name))
      return report(Fault::bad_value, written,
                    fmt::format("two elements of \"{}\" are named \"{}\"", list_.key, name),
                    fmt::format("a name for each; the other stands at {}", text_of(twin->place)),
                    fmt::format("add name = \"{}-2\"", name));
    result_.push_back({name, place, std::move(element)});
  }

  const Entry& list_;
  Diagnostics& diagnostics_;
  Table result_;
};

}  // namespace

void name_elements(Table& root, Diagnostics& diagnostics) {
  for (Entry& entry : root) {
    const CoreTable* table = core_table(entry.key);
    const bool list = table && table->plugins == Plugins::list;
    if (list && (entry.node.table() || entry.node.array()))  // anything else is reported by who reads it
      entry.node.value = ElementNamer(entry, diagnostics).named();
  }
}

void remove_elements(TomlNode& base, TomlNode& over) {
  const Entry* remove = find(*over.table(), "remove");
  if (!remove) return;
  Table& elements = std::get<Table>(base.value);
  const Entry edit = *remove;
  Array further;
  for (const TomlNode& name : *edit.node.array()) {
    const bool every = *name.string() == every_element;
    const std::size_t found = std::erase_if(elements, [&](const Entry& element) {
      return element.key != "remove" && (every || element.key == *name.string()) &&
             find(*element.node.table(), "use");
    });
    if (every || found == 0) further.push_back(name);
    // What is left is no element, but changes to one that lies below.
    std::erase_if(elements, [&](const Entry& element) {
      return element.key != "remove" && (every || element.key == *name.string());
    });
  }
  remove_key(std::get<Table>(over.value), "remove");
  if (further.empty()) return;
  if (Entry* own = find(elements, "remove")) {
    Array& names = std::get<Array>(own->node.value);
    names.insert(names.end(), further.begin(), further.end());
  } else {
    elements.push_back({"remove", edit.place, {std::move(further), edit.node.place, {}, {}}});
  }
}

}  // namespace halfling::config
