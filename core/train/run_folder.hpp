// SPDX-License-Identifier: Apache-2.0
// The folder of one run: <out>/<experiment name>/<trial id>.
#pragma once

#include <filesystem>

#include "experiment/experiment.hpp"
#include "train/folder_lock.hpp"
#include "train/trial.hpp"

namespace halfling {

class RunFolder {
 public:
  RunFolder(const std::filesystem::path& out, const Experiment& experiment);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path experiment() const { return path_ / "experiment.toml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path monitor() const { return path_ / "monitor.jsonl"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path sample(std::int64_t iteration) const;

  /// Whether a run was begun here, and whether one ran to its end.
  bool begun() const;
  bool finished() const;
  /// A run never overwrites another: throws Error (usage) where one was begun here.
  void refuse_begun() const;

  /// Makes the folders. Throws Error (usage) where that is not possible.
  void create() const;
  /// For as long as it lives, no other process trains here. Throws Error (usage) where one does. The folder
  /// must be there.
  FolderLock lock() const { return FolderLock(path_); }
  /// Writes experiment.toml, provenance.json and environment.json.
  void write_origin(const Trial& trial, const Registry& registry) const;

 private:
  std::filesystem::path path_;
};

}  // namespace halfling
