// SPDX-License-Identifier: Apache-2.0
// Images in a table, as Kaggle has MNIST: a line is an image, "label,pixel,pixel,...", with a line of names
// first or not. Gray, square, pixels 0 to 255; labels 0 to 999.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "halfling/dataset.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;

class Table final : public Dataset {
 public:
  explicit Table(const Options& options) : file_(options.string("file")) {
    std::ifstream file(file_);
    if (!file) fail(0, "the table cannot be read", "", "a file of comma-separated values");
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);)
      if (++number > 1 || line.find_first_not_of("0123456789,\r") == std::string::npos) add(number, line);
    if (labels_.empty()) fail(0, "the table has no image", "", "a line for each image");
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  Shape sample_shape() const override { return {1, side_, side_}; }
  const std::vector<std::string>& classes() const override { return classes_; }

  // Called from several threads at once; nothing here changes any more.
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    const auto first = pixels_.begin() + index * side_ * side_;
    std::copy(first, first + side_ * side_, pixels.begin());
    return labels_[static_cast<std::size_t>(index)];
  }

 private:
  // Every fault names the file, its line and what stands there.
  [[noreturn]] void fail(std::int64_t line, std::string what, std::string got, std::string expected) const {
    throw Error({.what = std::move(what),
                 .where = line == 0 ? file_ : file_ + ":" + std::to_string(line),
                 .got = std::move(got),
                 .expected = std::move(expected),
                 .kind = ErrorKind::usage});
  }

  void add(std::int64_t number, const std::string& line) {
    const std::size_t before = pixels_.size();
    const char *at = line.data(), *end = at + line.find_last_not_of(" \r") + 1;
    labels_.push_back(integer(number, at, end, 999));
    while (at != end) pixels_.push_back(static_cast<std::uint8_t>(integer(number, at, end, 255)));
    const auto count = static_cast<std::int64_t>(pixels_.size() - before);
    if (labels_.size() == 1) side_ = std::llround(std::sqrt(static_cast<double>(count)));
    if (count == 0 || count != side_ * side_)
      fail(number, "a line has another number of pixels", std::to_string(count),
           "as many as the first line, and a square number");
    while (static_cast<std::int32_t>(classes_.size()) <= labels_.back())
      classes_.push_back(std::to_string(classes_.size()));
  }

  // Reads a number and the comma behind it.
  std::int32_t integer(std::int64_t line, const char*& at, const char* end, int most) const {
    std::int32_t value = -1;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0 || value > most || (next != end && *next != ','))
      fail(line, "a value is no number that can stand there", std::string(at, std::find(at, end, ',')),
           "0 to " + std::to_string(most));
    at = next == end ? end : next + 1;
    return value;
  }

  std::string file_;
  std::int64_t side_ = 0;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::string> classes_;
};

constexpr OptionDeclaration options[] = {
    {"file", OptionType::path, "", nullptr, "the table; a relative path begins at the experiment's folder"},
};

}  // namespace

HALFLING_PLUGIN(Table, "@NAME@", "0.1.0", "gray images in a table of comma-separated values", options)
