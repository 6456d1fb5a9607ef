// SPDX-License-Identifier: Apache-2.0
#include "experiment/vars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"

namespace halfling::config {
namespace {

constexpr std::string_view opening = "${", prefix = "vars.";

class Substitution {
 public:
  /// `readable`: what is no variable is a fault; else [vars] itself is one.
  Substitution(const Table& vars, bool readable, Diagnostics& diagnostics)
      : vars_(vars), readable_(readable), diagnostics_(diagnostics) {
    for (const Entry& entry : vars) names_.push_back(entry.key);
  }

  void table(Table& table) const {
    for (Entry& entry : table) node(entry.node);
  }

 private:
  void node(TomlNode& node) const {
    if (auto* inner = std::get_if<Table>(&node.value)) return table(*inner);
    if (auto* elements = std::get_if<Array>(&node.value)) {
      for (TomlNode& element : *elements) this->node(element);
    } else if (node.string() && node.string()->find(opening) != std::string::npos) {
      text(node);
    }
  }

  void text(TomlNode& node) const {
    const std::string given = *node.string();
    std::string result;
    std::size_t at = 0;
    while (at < given.size()) {
      const std::size_t found = given.find(opening, at);
      if (found == std::string::npos) break;
      if (found > at && given[found - 1] == '$') {  // "$${"
        result += given.substr(at, found - 1 - at) + std::string(opening);
        at = found + opening.size();
        continue;
      }
      const std::size_t end = given.find('}', found);
      const TomlNode* value =
          variable(node, given.substr(found, end == std::string::npos ? end : end + 1 - found));
      if (!value) return;
      if (found == 0 && end + 1 == given.size()) return whole(node, *value);
      if (value->array()) {
        fail(node, fmt::format("a list cannot stand inside a text: {}", given),
             "a text that is only the reference");
        return;
      }
      result += given.substr(at, found - at) + short_text(*value);
      at = end + 1;
    }
    node.value = result + given.substr(at);
  }

  static void whole(TomlNode& node, const TomlNode& value) {
    node.referred_from = node.place;
    node.place = value.place;
    node.value = value.value;
  }

  /// What "${vars.NAME}" names; nullptr where it is nothing, which is reported.
  const TomlNode* variable(const TomlNode& node, const std::string& reference) const {
    const bool closed = reference.back() == '}';
    const std::string name = closed ? reference.substr(2, reference.size() - 3) : reference.substr(2);
    if (!closed || !name.starts_with(prefix)) {
      fail(node, fmt::format("\"{}\" is no reference", reference), "\"${vars.NAME}\"",
           "only [vars] can be referred to, no variable of the environment; for the text itself, write $${");
      return nullptr;
    }
    const Entry* found = find(vars_, name.substr(prefix.size()));
    if (found) return &found->node;
    fail(node, fmt::format("no variable is named \"{}\"", name.substr(prefix.size())), "a key of [vars]",
         did_you_mean(name.substr(prefix.size()), names_));
    return nullptr;
  }

  /// What a reference that leads nowhere leaves behind is its own text: that this is no number needs no
  /// telling.
  void fail(const TomlNode& node, std::string message, std::string expected, std::string hint = {}) const {
    diagnostics_.mute(node.place);
    if (!readable_) return;
    diagnostics_.add(
        {Fault::reference, node.place, std::move(message), std::move(expected), std::move(hint)});
  }

  const Table& vars_;
  bool readable_;
  Diagnostics& diagnostics_;
  std::vector<std::string> names_;
};

/// A variable is a value or a list of values, and refers to nothing. What it would do where it is used
/// follows from that.
void check_variable(const Entry& entry, Diagnostics& diagnostics) {
  const auto refers = [](const TomlNode& node) {
    return node.string() && node.string()->find(opening) != std::string::npos;
  };
  const Array* list = entry.node.array();
  const bool open = refers(entry.node) || (list && std::ranges::any_of(*list, refers));
  if (entry.node.table() || open) diagnostics.mute(entry.node.place);
  if (entry.node.table())
    diagnostics.add({Fault::reference, entry.place, fmt::format("\"vars.{}\" is a table", entry.key),
                     "a value, or a list of values"});
  else if (open)
    diagnostics.add({Fault::reference, entry.node.place,
                     fmt::format("\"vars.{}\" refers to something else", entry.key),
                     "a value: variables do not refer to variables"});
}

}  // namespace

void substitute_vars(Table& root, Diagnostics& diagnostics) {
  Table vars;
  bool readable = true;
  if (const Entry* found = find(root, "vars")) {
    if (found->node.table())
      vars = *found->node.table();
    else
      diagnostics.add({Fault::wrong_type, found->node.place,
                       fmt::format("\"vars\" is {}", type_name(found->node)), "the table [vars]"});
    readable = found->node.table();
    for (const Entry& entry : vars) check_variable(entry, diagnostics);
    remove_key(root, "vars");
  }
  Substitution(vars, readable, diagnostics).table(root);
}

void check_vars_known(const Table& root, const Table& over, Diagnostics& diagnostics) {
  const Entry* given = find(over, "vars");
  if (!given || !given->node.table()) return;
  const Entry* vars = find(root, "vars");
  std::vector<std::string> names;
  if (vars && vars->node.table())
    for (const Entry& entry : *vars->node.table()) names.push_back(entry.key);
  for (const Entry& entry : *given->node.table())
    if (std::ranges::find(names, entry.key) == names.end())
      diagnostics.add({Fault::reference, entry.place, fmt::format("no variable is named \"{}\"", entry.key),
                       "a key of [vars]", did_you_mean(entry.key, names)});
}

std::string escape_references(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(opening)) result += '$';
    result += text[i];
  }
  return result;
}

}  // namespace halfling::config
