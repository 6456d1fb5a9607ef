// SPDX-License-Identifier: Apache-2.0
// Dataset "quickdraw": Google's drawings, a file for each class, read as they are needed: 28x28 bitmaps
// (numpy), or strokes (JSON), which are drawn at any size.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "halfling/cache.hpp"
#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "halfling/suggest.hpp"
#include "npy_file.hpp"
#include "strokes_file.hpp"

namespace halfling {

namespace {

constexpr const char* first_ten[] = {"airplane", "apple", "bee", "bird", "book",
                                     "clock",    "cow",   "dog", "eye",  "fish"};

constexpr OptionDeclaration options[] = {
    {"root", OptionType::path, "", "\"\"",
     "folder with <class>.npy or full_numpy_bitmap_<class>.npy; \"\": where `halfling fetch` puts them; "
     "of strokes with <class>.ndjson or "
     "full_simplified_<class>.ndjson"},
    {"classes", OptionType::string_list, "",
     R"(["airplane", "apple", "bee", "bird", "book", "clock", "cow", "dog", "eye", "fish"])",
     "class names, as the files are called; a label is a place in this list"},
    {"form", OptionType::string, "", "\"bitmaps\"",
     "bitmaps: the numpy files; strokes: the simplified ndjson files, drawn as the bitmaps were", -unbounded,
     unbounded, "bitmaps|strokes"},
    {"size", OptionType::integer, "pixels", "28",
     "height and width of a sample; other than 28: of strokes only", 8, 1024},
    {"limit", OptionType::integer, "drawings", "0", "most drawings of one class; 0: all", 0, 1e9},
};

/// What the files of a form are called, and where they come from.
struct Form {
  std::string end, prefix, folder;

  std::string url_of(const std::string& name) const {
    std::string url = "https://storage.googleapis.com/quickdraw_dataset/full/" + folder + "/";
    for (const char c : name) url += c == ' ' ? std::string("%20") : std::string(1, c);
    return url + end;
  }
};

Form form_of(const Options& options) {
  if (options.string("form") == "strokes") return {".ndjson", "full_simplified_", "simplified"};
  if (options.integer("size") != 28)
    throw Error({.what = "bitmaps of Quick, Draw! have 28x28 pixels",
                 .where = "dataset.size",
                 .got = std::to_string(options.integer("size")),
                 .expected = "28",
                 .hint = "other sizes: dataset.form = \"strokes\", or a [[transform]] with use = \"resize\"",
                 .kind = ErrorKind::usage});
  return {".npy", "full_numpy_bitmap_", "numpy_bitmap"};
}

/// The class's file under `root`; empty where there is none.
std::filesystem::path file_of(const std::filesystem::path& root, const std::string& name, const Form& form) {
  for (const std::string& prefix : {std::string(), form.prefix}) {
    const std::filesystem::path file = root / (prefix + name + form.end);
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
std::vector<std::string> known_names(const std::filesystem::path& root, const Form& form) {
  std::set<std::string> names(std::begin(first_ten), std::end(first_ten));
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    std::string name = entry.path().stem().string();
    if (entry.path().extension() == form.end)
      names.insert(name.starts_with(form.prefix) ? name.substr(form.prefix.size()) : name);
  }
  return {names.begin(), names.end()};
}

void check_files(const std::filesystem::path& root, const std::vector<std::string>& classes,
                 const Form& form) {
  const std::vector<std::string> known = known_names(root, form);
  std::vector<ErrorDetails> faults;
  std::string missing, urls, commands;
  for (const std::string& name : classes) {
    if (!file_of(root, name, form).empty()) continue;
    const std::string near = did_you_mean(name, known);
    if (!near.empty() && std::ranges::find(known, name) == known.end()) {
      faults.push_back({.what = "there are no drawings of this class",
                        .where = "dataset.classes",
                        .got = name,
                        .expected = name + form.end + " in " + root.string(),
                        .hint = near + " If it is a class of its own, fetch " + form.url_of(name),
                        .kind = ErrorKind::usage});
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + name + form.end;
    urls += "\n    " + form.url_of(name);
    commands += " --class '" + name + "'";
  }
  const std::string by_card =
      form.end == ".npy" ? " or `halfling fetch quickdraw" + commands + "`" : std::string();
  const std::string fetched =
      ", run `halfling fetch` with the experiment's file" + by_card + " and leave it out";
  const bool folder = std::filesystem::is_directory(root);
  if (!folder || !missing.empty())
    faults.push_back({.what = "drawings are missing",
                      .where = root.string(),
                      .got = folder ? "a folder without " + missing : "no such folder",
                      .expected = "one file for each of dataset.classes",
                      .hint = "set dataset.root to the folder that has them" + fetched +
                              (urls.empty() ? urls : ", or fetch" + urls),
                      .kind = ErrorKind::usage});
  throw_any(std::move(faults));
}

class QuickDraw : public Dataset {
 public:
  explicit QuickDraw(const Options& given)
      : classes_(given.strings("classes")), side_(static_cast<int>(given.integer("size"))) {
    const std::filesystem::path root = dataset_root(given.string("root"), "quickdraw");
    check_names(classes_);
    const Form form = form_of(given);
    check_files(root, classes_, form);
    for (const std::string& name : classes_) {
      files_.push_back(open(file_of(root, name, form).string()));
      const std::int64_t limit = given.integer("limit"), rows = files_.back()->rows();
      ends_.push_back(size() + (limit > 0 ? std::min(limit, rows) : rows));
    }
  }

  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Shape sample_shape() const override { return {1, side_, side_}; }
  const std::vector<std::string>& classes() const override { return classes_; }

  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const auto place = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
    const std::int64_t begin = place == 0 ? 0 : ends_[static_cast<std::size_t>(place - 1)];
    files_[static_cast<std::size_t>(place)]->read(index - begin, pixels);
    return static_cast<std::int32_t>(place);
  }

 private:
  std::unique_ptr<const Drawings> open(const std::string& file) const {
    if (file.ends_with(".npy")) return std::make_unique<NpyFile>(file);
    return std::make_unique<StrokesFile>(file, side_);
  }

  std::vector<std::string> classes_;
  int side_;
  std::vector<std::unique_ptr<const Drawings>> files_;
  std::vector<std::int64_t> ends_;  // the samples of class i end before ends_[i]
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::QuickDraw, "quickdraw", HALFLING_VERSION,
                "Quick, Draw! drawings: 28x28 numpy bitmaps, or strokes at any size", halfling::options)
