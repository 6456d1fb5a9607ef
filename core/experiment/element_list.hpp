// SPDX-License-Identifier: Apache-2.0
// [[transform]]: a list of components. In documents it is a table of its elements by name, so that it merges,
// is set and swept like any other table; beside them, `remove` has the names of elements below that are to
// go.
#pragma once

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// Gives the lists of components in a document that form; once more changes nothing. An element's name is its
/// `name`, else its `use`. An empty list removes all below. Reports elements without a name, and twins.
void name_elements(Table& root, Diagnostics& diagnostics);

/// Takes what `over` removes out of `base`, both of that form. What is not there stays in base's own
/// `remove`, for what lies below that, too.
void remove_elements(TomlNode& base, TomlNode& over);

/// In `remove`: every element.
inline constexpr const char* every_element = "*";

}  // namespace halfling::config
