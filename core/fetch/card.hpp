// SPDX-License-Identifier: Apache-2.0
// Data set cards: what a data set is, where its files are, and how to know that they are whole.
// datasets/README.md has the keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace halfling {

struct CardFile {
  std::string name;               ///< of the file; no folder
  std::vector<std::string> urls;  ///< mirrors, the first is asked first
  std::uint64_t bytes = 0;        ///< 0: not known
  std::string sha256, md5;        ///< hexadecimal; empty: not known
  bool archive = false;           ///< unpacked beside itself
};

struct Card {
  std::string name, title, use, source, licence, credit, notes;
  std::vector<CardFile> files;
  /// Of sets with a file for each class: the address of one, with "{class}" in it; empty: there are no others
  /// than `files`.
  std::string class_url;
  std::string strokes_url;  ///< the same of drawings that the set also has as strokes; empty: it has none
};

/// Those that come with the program, by name.
std::vector<Card> shipped_cards();
/// Of a file of the user's. Throws Error (usage) with the place of what it has wrong.
Card read_card(const std::filesystem::path& file);
/// A shipped card, or what a path ending in .toml has. Throws Error (usage) for an unknown name, with the one
/// that was meant.
Card find_card(const std::string& name);
/// The keys at the top of a TOML file, none where it cannot be read: what tells a card from an experiment.
std::vector<std::string> keys_of(const std::filesystem::path& file);
/// The file of a class, of its drawings as strokes where they are wanted; throws Error (usage) where the card
/// has none and does not know where others are.
CardFile file_of_class(const Card& card, const std::string& name, bool strokes = false);

}  // namespace halfling
