// SPDX-License-Identifier: Apache-2.0
#include "plugin/fingerprint.hpp"

#include <algorithm>
#include <sstream>

namespace halfling {
namespace {

struct Part {
  const char* begins;  ///< a word of a fingerprint
  const char* what;
};

// In this order, as "c++" begins less than all of them do.
constexpr Part parts[] = {
    {"gcc-", "the compiler"},
    {"clang-", "the compiler"},
    {"libstdc++", "the standard library"},
    {"libc++", "the standard library"},
    {"c++", "the language level or the sanitizer"},
    {"no-rtti", "-fno-rtti (run-time types)"},
    {"no-exceptions", "-fno-exceptions"},
    {"sdk-", "the hash of halfling's headers"},
};

std::string what_of(const std::string& word) {
  for (const Part& part : parts)
    if (word.starts_with(part.begins)) return part.what;
  return "the flag " + word;
}

struct Word {
  std::string what, text;
};

std::vector<Word> words_of(std::string_view fingerprint) {
  std::istringstream stream{std::string(fingerprint)};
  std::vector<Word> words;
  for (std::string word; stream >> word;) words.push_back({what_of(word), word});
  return words;
}

std::string text_in(const std::vector<Word>& words, const std::string& what) {
  const auto found = std::ranges::find(words, what, &Word::what);
  return found == words.end() ? "nothing" : found->text;
}

}  // namespace

std::vector<FingerprintDifference> fingerprint_differences(std::string_view plugin,
                                                           std::string_view program) {
  std::vector<FingerprintDifference> differences;
  if (plugin.find("sdk-") == plugin.npos || program.find("sdk-") == program.npos) return differences;
  const std::vector<Word> theirs = words_of(plugin), ours = words_of(program);
  std::vector<Word> all = theirs;
  all.insert(all.end(), ours.begin(), ours.end());
  for (const Word& word : all) {
    FingerprintDifference difference{word.what, text_in(theirs, word.what), text_in(ours, word.what)};
    const bool told =
        std::ranges::find(differences, word.what, &FingerprintDifference::what) != differences.end();
    if (!told && difference.plugin != difference.program) differences.push_back(std::move(difference));
  }
  return differences;
}

std::string text_of(const FingerprintDifference& difference) {
  return difference.what + ": " + difference.plugin + " in the plugin, " + difference.program + " here";
}

}  // namespace halfling
