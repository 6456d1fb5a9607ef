// SPDX-License-Identifier: Apache-2.0
// Dataset "idx": images and labels in two IDX files, as MNIST, Fashion-MNIST and EMNIST come.
#include <algorithm>

#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "idx_file.hpp"

namespace halfling {

namespace {

constexpr OptionDeclaration options[] = {
    {"images", OptionType::path, "", nullptr, "IDX file of the images (N, H, W), also compressed by gzip"},
    {"labels", OptionType::path, "", nullptr, "IDX file of the labels (N), also compressed by gzip"},
    {"classes", OptionType::string_list, "", "[]", "class names in label order; []: the labels' numbers"},
    {"first_label", OptionType::integer, "", "0", "label of the first class; EMNIST's letters begin with 1",
     0, 255},
    {"transposed", OptionType::boolean, "", "false",
     "images lie column by column, as EMNIST's; they are turned when they are read"},
};

class Idx : public Dataset {
 public:
  explicit Idx(const Options& given)
      : first_label_(static_cast<int>(given.integer("first_label"))),
        transposed_(given.boolean("transposed")),
        images_(given.string("images"), 3),
        classes_(given.strings("classes")) {
    const IdxFile labels(given.string("labels"), 1);
    labels_.resize(static_cast<std::size_t>(labels.extents()[0]));
    labels.read(0, labels_);
    check_counts(given);
    name_classes(given);
  }

  std::int64_t size() const override { return images_.extents()[0]; }
  Shape sample_shape() const override {
    const std::int64_t rows = images_.extents()[1], columns = images_.extents()[2];
    return transposed_ ? Shape{1, columns, rows} : Shape{1, rows, columns};
  }
  const std::vector<std::string>& classes() const override { return classes_; }

  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const std::int64_t first = index * static_cast<std::int64_t>(pixels.size());
    if (transposed_)
      read_transposed(first, pixels);
    else
      images_.read(first, pixels);
    return labels_[static_cast<std::size_t>(index)] - first_label_;
  }

 private:
  void read_transposed(std::int64_t first, std::span<std::uint8_t> pixels) const {
    std::vector<std::uint8_t> stored(pixels.size());
    images_.read(first, stored);
    const auto rows = static_cast<std::size_t>(images_.extents()[1]);
    const auto columns = static_cast<std::size_t>(images_.extents()[2]);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) pixels[j * rows + i] = stored[i * columns + j];
  }

  void check_counts(const Options& given) const {
    if (size() == static_cast<std::int64_t>(labels_.size())) return;
    throw Error({.what = "images and labels do not belong together",
                 .where = given.string("labels"),
                 .got = std::to_string(labels_.size()) + " labels",
                 .expected = std::to_string(size()) + ", one for each image of " + given.string("images"),
                 .hint = "take both files from the same part of the data set",
                 .kind = ErrorKind::usage});
  }

  void name_classes(const Options& given) {
    const auto [least, largest] = std::ranges::minmax(labels_);
    if (classes_.empty())
      for (int label = first_label_; label <= largest; ++label) classes_.push_back(std::to_string(label));
    check_range(given, least, largest);
    check_empty(given, least);
  }

  void check_range(const Options& given, int least, int largest) const {
    const int last = first_label_ + static_cast<int>(classes_.size()) - 1;
    const auto outside = [&](int label) { return label < first_label_ || label > last; };
    const auto bad = std::ranges::find_if(labels_, outside);
    if (bad == labels_.end()) return;
    const auto sample = bad - labels_.begin();
    const bool shifted = least < first_label_ || largest - least < static_cast<int>(classes_.size());
    throw Error({.what = "a label has no class name",
                 .where = given.string("labels"),
                 .got = "label " + std::to_string(*bad) + " of sample " + std::to_string(sample) + ", byte " +
                        std::to_string(idx_header_bytes(1) + sample) + " of the unpacked file",
                 .expected = given.strings("classes").empty()
                                 ? "labels from " + std::to_string(first_label_) + " on"
                                 : "labels from " + std::to_string(first_label_) + " to " +
                                       std::to_string(last) + ", as many as dataset.classes",
                 .hint = shifted ? first_label_hint(least)
                                 : "name every class in dataset.classes, or leave the list out",
                 .kind = ErrorKind::usage});
  }

  /// A class without samples would be trained towards, and drawn, from nothing.
  void check_empty(const Options& given, int least) const {
    std::vector<std::int64_t> count(classes_.size());
    for (const int label : labels_) ++count[static_cast<std::size_t>(label - first_label_)];
    std::string empty;
    for (std::size_t i = 0; i < count.size(); ++i)
      if (count[i] == 0) empty += (empty.empty() ? "\"" : ", \"") + classes_[i] + "\"";
    if (empty.empty()) return;
    std::string hint = "take its name out of dataset.classes";
    if (least > first_label_)
      hint = first_label_hint(least);
    else if (count.back() != 0)
      hint = "labels must have no gaps: number them anew in the labels' file";
    throw Error({.what = "a class has no sample",
                 .where = given.string("labels"),
                 .got = "no label for " + empty,
                 .expected = "at least one sample of each class",
                 .hint = std::move(hint),
                 .kind = ErrorKind::usage});
  }

  static std::string first_label_hint(int least) {
    const std::string number = std::to_string(least);
    return "the file's labels begin with " + number + ": set dataset.first_label = " + number;
  }

  int first_label_;
  bool transposed_;
  IdxFile images_;
  std::vector<std::uint8_t> labels_;
  std::vector<std::string> classes_;
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Idx, "idx", HALFLING_VERSION,
                "images and labels in IDX files, as MNIST, Fashion-MNIST and EMNIST come", halfling::options)
