// SPDX-License-Identifier: Apache-2.0
#include "run/run_folder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "halfling/error.hpp"

namespace halfling {

namespace fs = std::filesystem;

RunFolder::RunFolder(const fs::path& out, const Experiment& experiment)
    : path_(out / experiment.name / experiment.id) {}

fs::path RunFolder::sample(std::int64_t iteration) const {
  return path_ / "samples" / fmt::format("{:08}.png", iteration);
}

bool RunFolder::begun() const {
  std::error_code none;
  return fs::exists(experiment(), none);
}

std::optional<Summary> RunFolder::ended() const {
  std::optional<Summary> found = read_summary(summary());
  if (found && found->status != "done") found.reset();
  return found;
}

void RunFolder::refuse_begun(bool finished) const {
  if (!begun()) return;
  const std::optional<Summary> run = ended();
  throw Error({.what = run ? "this trial has run already" : "a run of this trial was begun already",
               .where = path_.string(),
               .got = run ? std::to_string(run->iterations) + " iterations" : "",
               .expected = {},
               .hint = finished ? "write a second run to another folder with --out DIR"
                                : "continue it with --resume, or begin anew elsewhere with --out DIR",
               .kind = ErrorKind::usage});
}

void RunFolder::create() const {
  for (const fs::path& folder : {path_ / "samples", checkpoints()}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error) continue;
    throw Error({.what = "the run folder cannot be made",
                 .where = folder.string(),
                 .got = error.message(),
                 .expected = {},
                 .hint = "choose a folder that you may write to with --out DIR",
                 .kind = ErrorKind::usage});
  }
}

}  // namespace halfling
