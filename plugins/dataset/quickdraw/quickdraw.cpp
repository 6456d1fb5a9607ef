// SPDX-License-Identifier: Apache-2.0
// Dataset "quickdraw": Google's drawings as 28x28 bitmaps, one numpy file per class, read as it is needed.
#include <algorithm>
#include <filesystem>
#include <set>

#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "halfling/suggest.hpp"
#include "npy_file.hpp"

namespace halfling {

namespace {

constexpr const char* first_ten[] = {"airplane", "apple", "bee", "bird", "book",
                                     "clock",    "cow",   "dog", "eye",  "fish"};

constexpr OptionDeclaration options[] = {
    {"root", OptionType::path, "", nullptr, "folder with <class>.npy or full_numpy_bitmap_<class>.npy"},
    {"classes", OptionType::string_list, "",
     R"(["airplane", "apple", "bee", "bird", "book", "clock", "cow", "dog", "eye", "fish"])",
     "class names, as the files are called; a label is a place in this list"},
    {"limit", OptionType::integer, "drawings", "0", "most drawings of one class; 0: all", 0, 1e9},
};

std::string url_of(const std::string& name) {
  std::string url = "https://storage.googleapis.com/quickdraw_dataset/full/numpy_bitmap/";
  for (const char c : name) url += c == ' ' ? std::string("%20") : std::string(1, c);
  return url + ".npy";
}

/// The class's file under `root`; empty where there is none.
std::filesystem::path file_of(const std::filesystem::path& root, const std::string& name) {
  for (const char* prefix : {"", "full_numpy_bitmap_"}) {
    const std::filesystem::path file = root / (prefix + name + ".npy");
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return file;
  }
  return {};
}

void check_names(const std::vector<std::string>& classes) {
  const bool distinct = std::set(classes.begin(), classes.end()).size() == classes.size();
  if (distinct && !classes.empty()) return;
  throw Error(
      {.what = classes.empty() ? "no class of drawings is chosen" : "a class of drawings is chosen twice",
       .where = "dataset.classes",
       .expected = "at least one name, each once",
       .kind = ErrorKind::usage});
}

/// Names of the classes whose files lie under `root`, and of those that every copy has.
std::vector<std::string> known_names(const std::filesystem::path& root) {
  std::set<std::string> names(std::begin(first_ten), std::end(first_ten));
  constexpr std::string_view prefix = "full_numpy_bitmap_";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".npy")
      names.insert(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
  }
  return {names.begin(), names.end()};
}

void check_files(const std::filesystem::path& root, const std::vector<std::string>& classes) {
  const std::vector<std::string> known = known_names(root);
  std::vector<ErrorDetails> faults;
  std::string missing, urls;
  for (const std::string& name : classes) {
    if (!file_of(root, name).empty()) continue;
    const std::string near = did_you_mean(name, known);
    if (!near.empty() && std::ranges::find(known, name) == known.end()) {
      faults.push_back({.what = "there are no drawings of this class",
                        .where = "dataset.classes",
                        .got = name,
                        .expected = name + ".npy in " + root.string(),
                        .hint = near + " If it is a class of its own, fetch " + url_of(name),
                        .kind = ErrorKind::usage});
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + name + ".npy";
    urls += "\n    " + url_of(name);
  }
  const bool folder = std::filesystem::is_directory(root);
  if (!folder || !missing.empty())
    faults.push_back(
        {.what = "drawings are missing",
         .where = root.string(),
         .got = folder ? "a folder without " + missing : "no such folder",
         .expected = "one file for each of dataset.classes",
         .hint = "set dataset.root to the folder that has them" + (urls.empty() ? urls : ", or fetch" + urls),
         .kind = ErrorKind::usage});
  throw_any(std::move(faults));
}

class QuickDraw : public Dataset {
 public:
  explicit QuickDraw(const Options& given) : classes_(given.strings("classes")) {
    const std::filesystem::path root = given.string("root");
    check_names(classes_);
    check_files(root, classes_);
    for (const std::string& name : classes_) {
      const NpyFile& file = files_.emplace_back(file_of(root, name).string());
      const std::int64_t limit = given.integer("limit");
      ends_.push_back(size() + (limit > 0 ? std::min(limit, file.rows()) : file.rows()));
    }
  }

  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Shape sample_shape() const override { return {1, 28, 28}; }
  const std::vector<std::string>& classes() const override { return classes_; }

  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const auto place = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
    const std::int64_t begin = place == 0 ? 0 : ends_[static_cast<std::size_t>(place - 1)];
    files_[static_cast<std::size_t>(place)].read(index - begin, pixels);
    return static_cast<std::int32_t>(place);
  }

 private:
  std::vector<std::string> classes_;
  std::vector<NpyFile> files_;
  std::vector<std::int64_t> ends_;  // the samples of class i end before ends_[i]
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::QuickDraw, "quickdraw", HALFLING_VERSION,
                "Quick, Draw! drawings as 28x28 numpy bitmaps", halfling::options)
