// SPDX-License-Identifier: Apache-2.0
// An experiment with a list of two transforms, and files that extend it.
#pragma once

#include "experiment_load.hpp"

namespace halfling::testing {

inline const std::string flip = "[[transform]]\nuse = \"flip\"\nprobability = 0.25\n";
inline const std::string crop = "[[transform]]\nuse = \"crop\"\nsize = 20\n";

/// "flip 0.25, crop 20"
inline std::string text_of(const Experiment& experiment) {
  std::string text;
  for (const NamedChoice& element : experiment.transforms) {
    text += (text.empty() ? "" : ", ") + element.name;
    if (element.use != element.name) text += ":" + element.use;
    for (const auto& [key, value] : element.options.values())
      text += " " + (key == "size" ? std::to_string(element.options.integer(key))
                                   : std::to_string(element.options.number(key)).substr(0, 4));
  }
  return text;
}

struct Files {
  Folder folder;
  Files() { folder.write("base.toml", base + flip + crop); }
  /// Of a file that extends one with flip and crop.
  LoadedExperiment load(const std::string& text, std::vector<std::string> set = {}) const {
    return testing::load(folder.write("a.toml", "extends = [\"base.toml\"]\n" + text), std::move(set));
  }
  std::string transforms(const std::string& text, std::vector<std::string> set = {}) const {
    return text_of(only(load(text, std::move(set))));
  }
  std::string errors(const std::string& text, std::vector<std::string> set = {}) const {
    return errors_of(folder.write("a.toml", "extends = [\"base.toml\"]\n" + text), std::move(set));
  }
};

}  // namespace halfling::testing
