// SPDX-License-Identifier: Apache-2.0
// Prints the schema of the plugins for which the corpus of broken experiments is written.
#include "experiment/schema.hpp"

#include <iostream>

#include "../unit/experiment_catalog.hpp"

int main() {
  std::cout << halfling::experiment_schema(halfling::testing::DeclaredPlugins());
}
