// SPDX-License-Identifier: Apache-2.0
// Dataset "idx": images and labels in two IDX files, as MNIST and Fashion-MNIST come. Held in memory,
// unpacked.
#include <algorithm>
#include <cstring>

#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "idx_file.hpp"

namespace halfling {

namespace {

constexpr OptionDeclaration options[] = {
    {"images", OptionType::path, "", nullptr, "IDX file of the images (N, H, W), also compressed by gzip"},
    {"labels", OptionType::path, "", nullptr, "IDX file of the labels (N), also compressed by gzip"},
    {"classes", OptionType::string_list, "", "[]", "class names in label order; []: the numbers from \"0\""},
};

class Idx : public Dataset {
 public:
  explicit Idx(const Options& given)
      : images_(read_idx(given.string("images"), 3)),
        labels_(read_idx(given.string("labels"), 1)),
        classes_(given.strings("classes")) {
    check_counts(given);
    name_classes(given);
  }

  std::int64_t size() const override { return images_.extents[0]; }
  Shape sample_shape() const override { return {1, images_.extents[1], images_.extents[2]}; }
  const std::vector<std::string>& classes() const override { return classes_; }

  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const auto place = static_cast<std::size_t>(index);
    std::memcpy(pixels.data(), images_.bytes.data() + place * pixels.size(), pixels.size());
    return labels_.bytes[place];
  }

 private:
  void check_counts(const Options& given) const {
    if (images_.extents[0] == labels_.extents[0]) return;
    throw Error(
        {.what = "images and labels do not belong together",
         .where = given.string("labels"),
         .got = std::to_string(labels_.extents[0]) + " labels",
         .expected = std::to_string(images_.extents[0]) + ", one for each image of " + given.string("images"),
         .hint = "take both files from the same part of the data set",
         .kind = ErrorKind::usage});
  }

  void name_classes(const Options& given) {
    const int largest = *std::max_element(labels_.bytes.begin(), labels_.bytes.end());
    if (classes_.empty()) {
      for (int label = 0; label <= largest; ++label) classes_.push_back(std::to_string(label));
    }
    if (largest < static_cast<int>(classes_.size())) return;
    throw Error({.what = "a label has no class name",
                 .where = given.string("labels"),
                 .got = "label " + std::to_string(largest),
                 .expected = "labels from 0 to " + std::to_string(classes_.size() - 1) +
                             ", as many as dataset.classes",
                 .hint = "name every class in dataset.classes, or leave the list out",
                 .kind = ErrorKind::usage});
  }

  IdxFile images_, labels_;
  std::vector<std::string> classes_;
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Idx, "idx", HALFLING_VERSION,
                "images and labels in IDX files, as MNIST and Fashion-MNIST come", halfling::options)
