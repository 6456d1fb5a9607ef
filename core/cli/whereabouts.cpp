// SPDX-License-Identifier: Apache-2.0
#include "cli/whereabouts.hpp"

#include <fmt/format.h>

#include <string>

#include "halfling/error.hpp"
#include "run/checkpoint.hpp"

namespace halfling::cli {
namespace {

constexpr std::size_t names_shown = 20;

/// Names of the classes, from the newest checkpoint; empty without one that can be read.
std::vector<std::string> classes_of(const RunFolder& folder) {
  try {
    const auto checkpoint = newest_checkpoint(folder.checkpoints());
    if (checkpoint) return read_label(*checkpoint).classes;
  } catch (const Error&) {  // this line only helps; who needs the checkpoint will hear what ails it
  }
  return {};
}

std::string columns_text(const std::vector<std::string>& classes) {
  std::string text = "columns of the grids, in order:";
  for (std::size_t i = 0; i < classes.size() && i < names_shown; ++i)
    text += (i == 0 ? " " : ", ") + classes[i];
  if (classes.size() > names_shown) text += fmt::format(" and {} more", classes.size() - names_shown);
  return text;
}

}  // namespace

void tell_whereabouts(const std::vector<RunFolder>& folders, Progress& progress) {
  std::vector<std::string> shown;
  bool any = false;
  for (const RunFolder& folder : folders) {
    std::error_code none;
    if (!std::filesystem::exists(folder.summary(), none)) continue;
    if (!any) progress.note("grids in samples/, metrics, summary and checkpoints of each trial are in");
    any = true;
    progress.note("  " + folder.path().string());
    const std::vector<std::string> classes = classes_of(folder);
    if (classes.empty() || classes == shown) continue;
    progress.note("  " + columns_text(classes));
    shown = classes;
  }
}

}  // namespace halfling::cli
