// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "plugin/guarded.hpp"

namespace halfling {
namespace {

class GuardedDataset final : public Guarded<Dataset> {
 public:
  GuardedDataset(const Boundary& boundary, std::unique_ptr<Dataset> inner)
      : Guarded(boundary, std::move(inner)),
        size_(call("Dataset::size", [](const Dataset& data) { return data.size(); })),
        shape_(call("Dataset::sample_shape", [](const Dataset& data) { return data.sample_shape(); })),
        classes_(call("Dataset::classes", [](const Dataset& data) { return data.classes(); })) {
    check_size();
    check_shape();
    check_classes();
  }

  std::int64_t size() const override { return size_; }
  Shape sample_shape() const override { return shape_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const std::int32_t label =
        call("Dataset::read", [&](const Dataset& data) { return data.read(index, pixels); });
    if (label < 0 || label >= static_cast<std::int64_t>(classes_.size()))
      boundary().refuse("Dataset::read", {.what = "the data set gave a label that is no class of it",
                                          .where = "sample " + std::to_string(index),
                                          .got = std::to_string(label),
                                          .expected = "0 to " + std::to_string(classes_.size() - 1)});
    return label;
  }

 private:
  void check_size() const {
    if (size_ >= 1) return;
    boundary().refuse("Dataset::size", {.what = "the data set has no samples",
                                        .got = std::to_string(size_),
                                        .expected = "at least 1",
                                        .kind = ErrorKind::usage});
  }

  void check_shape() const {
    bool good = shape_.rank() == 3;
    for (int axis = 0; good && axis < 3; ++axis) good = shape_[axis] >= 1;
    if (good) return;
    boundary().refuse("Dataset::sample_shape", {.what = "a sample of the data set is no image",
                                                .got = shape_.text(),
                                                .expected = "{channels, height, width}, each at least 1"});
  }

  void check_classes() const {
    const std::set<std::string> distinct(classes_.begin(), classes_.end());
    if (!classes_.empty() && distinct.size() == classes_.size() && !distinct.contains("")) return;
    boundary().refuse("Dataset::classes",
                      {.what = "the classes of the data set cannot be told apart",
                       .got = classes_.empty() ? "no class" : "a name that is empty or stands twice",
                       .expected = "at least one class, each with a name of its own",
                       .kind = ErrorKind::usage});
  }

  std::int64_t size_;
  Shape shape_;
  std::vector<std::string> classes_;
};

}  // namespace

std::unique_ptr<Dataset> guard(const Boundary& boundary, std::unique_ptr<Dataset> inner) {
  return std::make_unique<GuardedDataset>(boundary, std::move(inner));
}

}  // namespace halfling
