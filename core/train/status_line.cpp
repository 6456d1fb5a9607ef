// SPDX-License-Identifier: Apache-2.0
#include "train/status_line.hpp"

#include <fmt/format.h>

namespace halfling {
namespace {

/// "3421", "26.14 million".
std::string count_text(std::int64_t count) {
  return count < 1000000 ? std::to_string(count)
                         : fmt::format("{:.2f} million", 1e-6 * static_cast<double>(count));
}

/// See Progress::head.
std::vector<std::string> announcement(const RunDescription& run) {
  return {fmt::format("backend {}{}: {}, {}", run.backend, run.automatic ? " (auto)" : "", run.device,
                      run.library),
          run.passed_over.empty() ? "" : fmt::format("not on {}", fmt::join(run.passed_over, "; not on ")),
          fmt::format("{} images of {} in {} classes", run.samples, run.image.text(), run.classes.size()),
          fmt::format("{} iterations an epoch", run.iterations_per_epoch),
          fmt::format("{} parameters", count_text(run.parameters)),
          run.native ? ""
                     : fmt::format("{} emulated on this device: this run shows numerics, never speed",
                                   fmt::join(run.emulated, " and ")),
          run.iteration == 0 ? "" : fmt::format("continues after iteration {}", run.iteration)};
}

}  // namespace

void StatusLine::began(const RunDescription& run) {
  progress_.begin(run.native ? "" : run.emulated.front() + " emulated");
  progress_.head(announcement(run));
}

void StatusLine::metrics(const RunMetrics& metrics) {
  if (metrics.ends || progress_.due()) progress_.show(metrics);
}

}  // namespace halfling
