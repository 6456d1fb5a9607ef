// SPDX-License-Identifier: Apache-2.0
// The folder of one run: <out>/<experiment name>/<trial id>.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "experiment/experiment.hpp"
#include "run/folder_lock.hpp"
#include "run/summary.hpp"

namespace halfling {

class RunFolder {
 public:
  RunFolder(const std::filesystem::path& out, const Experiment& experiment);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path experiment() const { return path_ / "experiment.toml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path monitor() const { return path_ / "monitor.jsonl"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path data() const { return path_ / "data.png"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  /// "00001200.png": names sort by iteration.
  std::filesystem::path sample(std::int64_t iteration) const;

  /// Whether a run was begun here.
  bool begun() const;
  /// The run that came to the end of its budget here.
  std::optional<Summary> ended() const;
  /// A run never overwrites another: throws Error (usage) where one was begun here. `finished`: it leaves
  /// nothing to train.
  void refuse_begun(bool finished) const;

  /// Makes the folders. Throws Error (usage) where that is not possible.
  void create() const;
  /// For as long as it lives, no other process trains here. Throws Error (usage) where one does. The folder
  /// must be there.
  FolderLock lock() const { return FolderLock(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace halfling
