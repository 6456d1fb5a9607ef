// SPDX-License-Identifier: Apache-2.0
#include "cifar.hpp"

#include <algorithm>
#include <set>

#include "halfling/cache.hpp"
#include "halfling/error.hpp"
#include "halfling/suggest.hpp"

namespace halfling {

namespace {

namespace fs = std::filesystem;

/// Also a link that leads nowhere: opening it says so, where it would be passed over otherwise.
bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> files_of(const CifarFormat& format, const std::string& part) {
  std::vector<std::string> names;
  if (part != "test") names.assign(format.train.begin(), format.train.end());
  if (part != "train") names.insert(names.end(), format.test.begin(), format.test.end());
  return names;
}

std::string fetch_hint(const CifarFormat& format) {
  return std::string("run `halfling fetch ") + format.plugin +
         "`, or `halfling fetch` with the experiment's file, and leave dataset.root out, or set it to the "
         "folder that has them";
}

[[noreturn]] void refuse_folder(const CifarFormat& format, const fs::path& root,
                                const std::vector<std::string>& names) {
  const bool folder = fs::is_directory(root);
  std::string hint = fetch_hint(format);
  if (is_there(root / format.archive)) hint = std::string("unpack it there: tar xzf ") + format.archive;
  for (const std::string& name : names)
    if (is_there(root / fs::path(name).stem()))
      hint = fs::path(name).stem().string() + " is of the Python version; fetch " + format.url();
  throw Error({.what = "images are missing",
               .where = root.string(),
               .got = folder ? "a folder without them" : "no such folder",
               .expected = (names.size() > 1 ? "at least one of " : "") + joined(names) + ", here or in " +
                           format.folder,
               .hint = std::move(hint),
               .kind = ErrorKind::usage});
}

/// Those of the files that exist, all in the folder that was named or all in the archive's.
std::vector<fs::path> find_files(const CifarFormat& format, const fs::path& root,
                                 const std::vector<std::string>& names) {
  for (const fs::path& folder : {root, root / format.folder}) {
    std::vector<fs::path> found;
    for (const std::string& name : names)
      if (is_there(folder / name)) found.push_back(folder / name);
    if (!found.empty()) return found;
  }
  refuse_folder(format, root, names);
}

/// The lines of a file of class names; empty ones at its end mean nothing.
std::vector<std::string> read_names(const std::string& name, int classes) {
  const std::string expected = std::to_string(classes) + " class names, one a line";
  const DataFile file(name, expected.c_str());
  std::string text(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
  text.resize(file.read_some(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}));
  std::erase(text, '\r');
  text.erase(text.find_last_not_of('\n') + 1);
  std::vector<std::string> names(1);
  for (const char c : text) c == '\n' ? names.emplace_back() : names.back() += c;
  const std::set<std::string> distinct(names.begin(), names.end());
  const bool right = names.size() == static_cast<std::size_t>(classes);
  if (right && distinct.size() == names.size() && !distinct.contains("")) return names;
  throw Error(
      {.what = "these are not the names of the classes",
       .where = name,
       .got = right ? "a name that is empty or stands twice" : std::to_string(names.size()) + " lines",
       .expected = expected,
       .hint = "take the file from the archive again",
       .kind = ErrorKind::usage});
}

void check_names(const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  std::vector<ErrorDetails> faults;
  std::set<std::string> seen;
  const auto add = [&](const char* what, const std::string& name, std::string expected) {
    faults.push_back({.what = what,
                      .where = "dataset.classes",
                      .got = name,
                      .expected = std::move(expected),
                      .hint = did_you_mean(name, known),
                      .kind = ErrorKind::usage});
  };
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) == known.end())
      add("the data set has no class of this name", name, "one of " + joined(known));
    else if (!seen.insert(name).second)
      add("a class is chosen twice", name, "each class once");
  }
  throw_any(std::move(faults));
}

}  // namespace

Cifar::Cifar(const CifarFormat& format, std::size_t which, const Options& given) : which_(which) {
  const std::vector<fs::path> files = find_files(format, dataset_root(given.string("root"), format.plugin),
                                                 files_of(format, given.string("part")));
  choose_classes(format.labels[which], files.front().parent_path(), given.strings("classes"));
  for (const fs::path& file : files) files_.emplace_back(file.string(), format);
  find_samples(given.integer("limit"));
  check_empty(given);
}

void Cifar::choose_classes(const CifarLabel& label, const fs::path& folder,
                           const std::vector<std::string>& wanted) {
  const std::vector<std::string> known = read_names((folder / label.names).string(), label.classes);
  check_names(wanted, known);
  classes_ = wanted.empty() ? known : wanted;
  class_of_.fill(-1);
  for (std::size_t i = 0; i < classes_.size(); ++i)
    class_of_[static_cast<std::size_t>(std::ranges::find(known, classes_[i]) - known.begin())] =
        static_cast<std::int32_t>(i);
}

void Cifar::find_samples(std::int64_t limit) {
  counts_.resize(classes_.size());
  for (std::size_t file = 0; file < files_.size(); ++file) {
    for (std::int64_t record = 0; record < files_[file].records(); ++record) {
      const std::int32_t chosen = class_of(files_[file].label(record, which_));
      if (chosen < 0) continue;
      std::int64_t& count = counts_[static_cast<std::size_t>(chosen)];
      if (limit > 0 && count == limit) continue;
      ++count;
      places_.push_back({static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(record)});
    }
  }
}

/// A class without samples would be trained towards, and drawn, from nothing.
void Cifar::check_empty(const Options& given) const {
  std::vector<std::string> empty;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (counts_[i] == 0) empty.push_back("\"" + classes_[i] + "\"");
  if (empty.empty()) return;
  std::string files;
  for (const CifarFile& file : files_) files += (files.empty() ? "" : ", ") + file.name();
  throw Error({.what = "a class has no sample",
               .where = given.strings("classes").empty() ? "dataset.root" : "dataset.classes",
               .got = "no image of " + joined(empty) + " in " + files,
               .expected = "at least one image of each class",
               .hint = "choose the others with dataset.classes, or get the files that are missing",
               .kind = ErrorKind::usage});
}

std::int32_t Cifar::read(std::int64_t index, std::span<std::uint8_t> pixels) const {
  const Place place = places_[static_cast<std::size_t>(index)];
  const CifarFile& file = files_[place.file];
  const std::int32_t chosen = class_of(file.read(place.record, which_, pixels));
  if (chosen >= 0) return chosen;
  throw Error({.what = "a data file has changed since it was opened",
               .where = file.name(),
               .got = "another class in record " + std::to_string(place.record),
               .expected = "a class that is chosen, as when it was opened",
               .hint = "leave data files alone while they are trained on"});
}

}  // namespace halfling
