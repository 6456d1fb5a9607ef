// SPDX-License-Identifier: Apache-2.0
// What a plugin or the training finds wrong with an experiment's values, told as the language tells its own
// faults.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"

namespace halfling::config {

/// One report for the error and one for each of its others, at the option that `where` names, at the element
/// of its list that is `got`, or at the path that `where` lies in; else at what `table` uses; else at the
/// file.
std::vector<Diagnostics::Report> located(const Experiment& experiment, const ErrorDetails& error,
                                         std::string_view table);

/// What an element of a list says of its options, which it calls "transform.size": of "transform.NAME.size";
/// what it says of no option, of the element.
ErrorDetails of_element(ErrorDetails error, std::string_view kind, std::string_view name);

/// What `function`, which calls the element's plugin, returns; a fault of the experiment that it throws is
/// told of the element.
template <class Function>
decltype(auto) within_element(std::string_view kind, std::string_view name, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const Error& error) {
    if (error.details().kind != ErrorKind::usage) throw;
    throw Error(of_element(error.details(), kind, name));
  }
}

}  // namespace halfling::config
