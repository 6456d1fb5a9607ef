// SPDX-License-Identifier: Apache-2.0
// halfling schema
#include "experiment/schema.hpp"

#include <iostream>

#include "cli/command.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {

Grammar schema_grammar() {
  Grammar grammar{
      .synopsis = "schema [options]",
      .description =
          "Prints a JSON Schema (Draft 4) of experiment files with the options of all plugins found.\n"
          "Save it beside an experiment, as experiment.schema.json, and begin the experiment with the\n"
          "line `#:schema ./experiment.schema.json`: editors with Taplo then complete and check it."};
  add_plugin_path(grammar);
  return grammar;
}

int run_schema(const Values& values) {
  std::cout << experiment_schema(Registry::scan(plugin_path(values)));
  return exit_done;
}

}  // namespace halfling::cli
