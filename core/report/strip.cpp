// SPDX-License-Identifier: Apache-2.0
#include "report/strip.hpp"

#include <algorithm>
#include <charconv>

#include "halfling/error.hpp"
#include "run/png.hpp"

namespace halfling {
namespace {

constexpr std::size_t most = 6;

std::vector<Grid> chosen(const std::vector<Grid>& grids) {
  const std::size_t count = std::min(grids.size(), most);
  std::vector<Grid> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(grids[i * (grids.size() - 1) / (count - 1)]);
  return result;
}

/// Of a grid's rows, as the experiment has it; 0 where it does not say.
int rows_of(const RunRecord& run) {
  const std::string text = run.value("sample.rows");
  int rows = 0;
  std::from_chars(text.data(), text.data() + text.size(), rows);
  return rows;
}

/// From one row of images to the next, in pixels; 0 where the picture is no grid of so many rows.
int step_of(const Image& image, int rows) {
  const GridStyle style;
  const int inner = image.height - 3 * style.gap;
  return rows > 0 && inner > 0 && inner % rows == 0 ? inner / rows : 0;
}

void copy_rows(const Image& from, int first, int count, Image& to) {
  const std::size_t row = std::size_t(from.width) * std::size_t(from.channels);
  const auto begin = from.pixels.begin() + static_cast<std::ptrdiff_t>(std::size_t(first) * row);
  to.pixels.insert(to.pixels.end(), begin, begin + static_cast<std::ptrdiff_t>(std::size_t(count) * row));
  to.height += count;
}

}  // namespace

std::optional<Strip> strip_of(const RunRecord& run) try {
  if (run.grids.size() < 3) return std::nullopt;
  const int margin = 2 * GridStyle().gap;
  Strip strip;
  int height = 0, step = 0;
  for (const Grid& grid : chosen(run.grids)) {
    const Image image = read_png(grid.file);
    if (strip.iterations.empty()) {
      strip.image = {image.width, 0, image.channels, {}};
      height = image.height;
      step = step_of(image, rows_of(run));
      if (step == 0) return std::nullopt;
      copy_rows(image, 0, margin, strip.image);
    }
    if (image.width != strip.image.width || image.height != height || image.channels != strip.image.channels)
      return std::nullopt;
    copy_rows(image, margin, step, strip.image);
    strip.iterations.push_back(grid.iteration);
  }
  return strip;
} catch (const Error&) {  // a picture that cannot be read, or none
  return std::nullopt;
}

}  // namespace halfling
