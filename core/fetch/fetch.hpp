// SPDX-License-Identifier: Apache-2.0
// The files of a data set, from wherever they can be had, into a folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fetch/card.hpp"

namespace halfling {

struct FetchRequest {
  Card card;
  std::vector<CardFile> files;
  std::filesystem::path folder;  ///< that gets the files; made
  /// Asked before the card's own: addresses or local folders that hold the files under their names.
  std::vector<std::string> mirrors = {};
  bool offline = false;                               ///< local folders only
  double stall_s = 30;                                ///< as in DownloadRequest
  std::function<void(const std::string&)> note = {};  ///< a line for people
  std::function<void(const std::string& file, std::uint64_t so_far, std::uint64_t all)> progress = {};
};

/// Files that are there already and whole are left alone. Each new one gets its name when its size and digest
/// are the card's; archives are unpacked. Beside them LICENCE.txt says what may be done with the data, and
/// whom to credit. Throws Error where a file cannot be had: what every mirror said, and which file to put
/// where by hand.
void fetch(const FetchRequest& request);

}  // namespace halfling
