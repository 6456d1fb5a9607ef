// SPDX-License-Identifier: Apache-2.0
// The layers of an experiment: a file over the files that it extends, and the command line over both.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/advice.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// Reads files and arguments and keeps their texts, to which all places point.
class Layers {
 public:
  Layers(const PluginCatalog& catalog, Diagnostics& diagnostics, std::vector<std::string>& notes)
      : advisor_(catalog), diagnostics_(diagnostics), notes_(notes) {}
  Layers(const Layers&) = delete;

  /// A file laid over all that it extends, `extends` itself removed. What cannot be read is reported, and
  /// nullopt comes back: then nothing can be said about keys.
  std::optional<Table> read(const std::filesystem::path& file);
  /// All KEY=VALUE arguments as one layer; of two for one key the later wins. Malformed ones are reported and
  /// left out.
  Table overrides(const std::vector<std::string>& arguments);
  /// The file that was asked for, as a place for what is missing.
  Place main_file() const { return {&texts_->front(), 0, 0, 0}; }
  std::shared_ptr<const Texts> texts() const { return texts_; }

 private:
  std::optional<Table> read(const std::filesystem::path& file, const Place& wanted_by);
  const std::optional<Table>& parsed(const std::filesystem::path& file, const Place& wanted_by);
  std::optional<Table> parse(const std::filesystem::path& file, const Place& wanted_by);
  std::optional<std::string> text_of_file(const std::filesystem::path& file, const Place& wanted_by);
  bool valid_text(Source& source);
  std::optional<Table> bases(const Entry& extends, const std::filesystem::path& file);
  bool is_too_much(const Place& wanted_by);
  bool is_cycle(const std::filesystem::path& file, const Place& wanted_by);
  std::optional<Table> override_of(const std::string& argument, std::size_t number);

  Advisor advisor_;
  Diagnostics& diagnostics_;
  std::vector<std::string>& notes_;
  std::shared_ptr<Texts> texts_ = std::make_shared<Texts>();
  std::map<std::filesystem::path, std::optional<Table>> parsed_;  ///< every file once; nullopt: it has faults
  std::vector<std::filesystem::path> chain_;                      ///< the files being read, as shown
  std::size_t occurrences_ = 0;                                   ///< of files, in all lists of extends
};

}  // namespace halfling::config
