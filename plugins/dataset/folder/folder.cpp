// SPDX-License-Identifier: Apache-2.0
// Dataset "folder": a folder of pictures for each class, decoded as they are needed.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "halfling/resample.hpp"
#include "halfling/suggest.hpp"
#include "picture.hpp"

namespace halfling {

namespace {

namespace fs = std::filesystem;

constexpr OptionDeclaration options[] = {
    {"root", OptionType::path, "", nullptr, "folder with a folder of PNG and JPEG files for each class"},
    {"classes", OptionType::string_list, "", "[]",
     "names of folders; a label is a place in this list; []: all, by name"},
    {"size", OptionType::integer, "pixels", nullptr,
     "side of a sample: the middle square of a picture, scaled", 1, 4096},
    {"channels", OptionType::integer, "", "3", "3 (colour) or 1 (gray)", 1, 3},
    {"background", OptionType::integer, "", "255", "gray level behind what is transparent", 0, 255},
    {"limit", OptionType::integer, "pictures", "0", "most pictures of one class, by name; 0: all", 0, 1e9},
};

Error usage(std::string what, std::string where, std::string got, std::string expected, std::string hint) {
  return Error({.what = std::move(what),
                .where = std::move(where),
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = std::move(hint),
                .kind = ErrorKind::usage});
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

/// What is not hidden, by name.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!is_hidden(entry->path())) entries.push_back(entry->path());
  if (error)
    throw usage("a folder of pictures cannot be read", folder.string(), error.message(),
                "a folder for each class", "set dataset.root to the folder that has them");
  std::ranges::sort(entries);
  return entries;
}

bool is_picture(const fs::path& file) {
  std::string end = file.extension().string();
  std::ranges::transform(end, end.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

/// Other files are no pictures that could be left out in silence.
std::vector<fs::path> pictures_of(const fs::path& folder, std::int64_t limit) {
  std::vector<fs::path> files = entries_of(folder);
  const auto other = std::ranges::find_if_not(files, is_picture);
  if (other != files.end())
    throw usage("a file among the pictures is none", other->string(), other->filename().string(),
                "names that end in .png, .jpg or .jpeg",
                "convert it, take it away, or hide it: names that begin with a dot are skipped");
  if (files.empty())
    throw usage("a class has no sample", folder.string(), "no picture", "at least one PNG or JPEG file",
                "choose the others with dataset.classes, or take the folder away");
  if (limit > 0 && static_cast<std::size_t>(limit) < files.size())
    files.resize(static_cast<std::size_t>(limit));
  return files;
}

void check_names(const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  std::vector<ErrorDetails> faults;
  std::set<std::string> seen;
  for (const std::string& name : wanted) {
    const bool is_known = std::ranges::find(known, name) != known.end();
    if (is_known && seen.insert(name).second) continue;
    faults.push_back({.what = is_known ? "a class is chosen twice" : "there is no folder of this name",
                      .where = "dataset.classes",
                      .got = name,
                      .expected = "folders of dataset.root, each once",
                      .hint = did_you_mean(name, known),
                      .kind = ErrorKind::usage});
  }
  throw_any(std::move(faults));
}

class Folder : public Dataset {
 public:
  explicit Folder(const Options& given)
      : side_(static_cast<int>(given.integer("size"))),
        format_{static_cast<int>(given.integer("channels")),
                static_cast<std::uint8_t>(given.integer("background"))} {
    if (format_.channels == 2)
      throw usage("a sample has 1 or 3 channels", "dataset.channels", "2", "1 or 3", "");
    const fs::path root = given.string("root");
    choose_classes(root, given.strings("classes"));
    for (std::size_t i = 0; i < classes_.size(); ++i)
      for (const fs::path& file : pictures_of(root / classes_[i], given.integer("limit")))
        pictures_.push_back({file.string(), static_cast<std::int32_t>(i)});
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(pictures_.size()); }
  Shape sample_shape() const override { return {format_.channels, side_, side_}; }
  const std::vector<std::string>& classes() const override { return classes_; }

  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const Picture& picture = pictures_[static_cast<std::size_t>(index)];
    const Image image = read_picture(picture.file, format_);
    middle_square(view_of(image), side_, pixels);
    return picture.label;
  }

 private:
  struct Picture {
    std::string file;
    std::int32_t label;
  };

  void choose_classes(const fs::path& root, const std::vector<std::string>& wanted) {
    std::vector<std::string> known;
    for (const fs::path& entry : entries_of(root))
      if (fs::is_directory(entry)) known.push_back(entry.filename().string());
    if (known.empty())
      throw usage("there are no classes of pictures", root.string(), "a folder without folders",
                  "a folder for each class", "set dataset.root to the folder that has them");
    check_names(wanted, known);
    classes_ = wanted.empty() ? known : wanted;
  }

  int side_;
  PictureFormat format_;
  std::vector<std::string> classes_;
  std::vector<Picture> pictures_;
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Folder, "folder", HALFLING_VERSION, "PNG and JPEG files in a folder for each class",
                halfling::options)
