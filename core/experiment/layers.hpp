// SPDX-License-Identifier: Apache-2.0
// The layers of an experiment: a file over the files that it extends, and the command line over both.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// Reads files and arguments and keeps their texts, to which all places point.
class Layers {
 public:
  Layers(Diagnostics& diagnostics, std::vector<std::string>& notes)
      : diagnostics_(diagnostics), notes_(notes) {}
  Layers(const Layers&) = delete;

  /// A file laid over all that it extends, `extends` itself removed. What cannot be read is reported, and
  /// nullopt comes back: then nothing can be said about keys.
  std::optional<Table> read(const std::filesystem::path& file);
  /// All KEY=VALUE arguments as one layer; of two for one key the later wins. Malformed ones are reported and
  /// left out.
  Table overrides(const std::vector<std::string>& arguments);
  /// The file that was asked for, as a place for what is missing.
  Place main_file() const { return {&sources_.front(), 0, 0, 0}; }

 private:
  std::optional<Table> read(const std::filesystem::path& file, const Place& wanted_by);
  std::optional<std::string> text_of_file(const std::filesystem::path& file, const Place& wanted_by);
  bool valid_text(Source& source);
  std::optional<Table> bases(const Entry& extends, const std::filesystem::path& file);
  bool is_cycle(const std::filesystem::path& file, const Place& wanted_by);
  std::optional<Table> override_of(const std::string& argument, std::size_t number);

  Diagnostics& diagnostics_;
  std::vector<std::string>& notes_;
  std::deque<Source> sources_;
  std::vector<std::filesystem::path> chain_;  ///< the files being read, as shown
};

}  // namespace halfling::config
