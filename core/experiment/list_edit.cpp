// SPDX-License-Identifier: Apache-2.0
#include "experiment/list_edit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfling::config {
namespace {

/// nullptr where there is none, or where it is no list, which is reported.
const Array* list_of(const Entry& entry, std::string_view action, Diagnostics& diagnostics) {
  const Entry* found = find(*entry.node.table(), action);
  if (!found) return nullptr;
  if (!found->node.array())
    diagnostics.add({Fault::list_edit, found->node.place,
                     fmt::format("\"{}.{}\" is {}", entry.key, action, type_name(found->node)), "a list",
                     "write it in brackets, even a single value"});
  return found->node.array();
}

}  // namespace

bool is_list_edit(const TomlNode& node) {
  return node.table() && !node.table()->empty() && std::ranges::all_of(*node.table(), [](const Entry& entry) {
           return entry.key == "append" || entry.key == "remove";
         });
}

void edit_list(TomlNode& list, const Entry& entry, Diagnostics& diagnostics) {
  Array elements = *list.array();
  if (const Array* remove = list_of(entry, "remove", diagnostics))
    for (const TomlNode& element : *remove) {
      const auto same = [&](const TomlNode& other) { return same_value(element, other); };
      if (std::erase_if(elements, same) == 0)
        diagnostics.add({Fault::list_edit, element.place,
                         fmt::format("\"{}\" has no element {} to remove", entry.key, short_text(element)),
                         "an element of the list at " + text_of(list.place)});
    }
  if (const Array* append = list_of(entry, "append", diagnostics))
    elements.insert(elements.end(), append->begin(), append->end());
  list.overrode.insert(list.overrode.begin(), list.place);
  list.place = entry.place;
  list.value = std::move(elements);
}

void join_edits(TomlNode& first, const TomlNode& second) {
  for (const Entry& entry : *second.table()) {
    Table& edits = std::get<Table>(first.value);
    Entry* old = find(edits, entry.key);
    if (old && old->node.array() && entry.node.array()) {
      Array& elements = std::get<Array>(old->node.value);
      elements.insert(elements.end(), entry.node.array()->begin(), entry.node.array()->end());
    } else if (old) {
      *old = entry;
    } else {
      edits.push_back(entry);
    }
  }
}

}  // namespace halfling::config
