// SPDX-License-Identifier: Apache-2.0
// key.append = […] and key.remove = […]: how a document changes a list of the one below it.
#pragma once

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// A table that has append or remove, and nothing else.
bool is_list_edit(const TomlNode& node);

/// Removes, then appends; reports what is no list, and elements to remove that are not there. `entry` holds
/// the edit.
void edit_list(TomlNode& list, const Entry& entry, Diagnostics& diagnostics);

/// Two edits of one list, one after the other, as one.
void join_edits(TomlNode& first, const TomlNode& second);

}  // namespace halfling::config
