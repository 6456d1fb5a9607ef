// SPDX-License-Identifier: Apache-2.0
#include "report/png.hpp"

#include <png.h>

#include <algorithm>
#include <string>

#include "halfling/error.hpp"
#include "report/atomic_file.hpp"

namespace halfling {

namespace {

/// libpng's simplified interface: errors come as a message in the struct, never by longjmp.
struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;

  [[noreturn]] void fail(const char* what, const std::filesystem::path& file) const {
    throw Error({.what = what, .where = file.string(), .got = message});
  }
};

png_uint_32 format_of(int channels) {
  return channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
}

}  // namespace

void write_png(const std::filesystem::path& file, const Image& image) {
  PngImage png;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = format_of(image.channels);
  std::vector<std::byte> encoded(PNG_IMAGE_PNG_SIZE_MAX(png));
  png_alloc_size_t size = encoded.size();
  if (!png_image_write_to_memory(&png, encoded.data(), &size, 0, image.pixels.data(), 0, nullptr)) {
    png.fail("a picture cannot be encoded", file);
  }
  AtomicFile output(file);
  output.write(std::span<const std::byte>(encoded).first(size));
  output.commit();
}

Image read_png(const std::filesystem::path& file) {
  PngImage png;
  if (!png_image_begin_read_from_file(&png, file.c_str())) png.fail("a picture cannot be read", file);
  Image image;
  image.width = static_cast<int>(png.width);
  image.height = static_cast<int>(png.height);
  image.channels = (png.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  png.format = format_of(image.channels);
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr)) {
    png.fail("a picture cannot be read", file);
  }
  return image;
}

namespace {

/// Copies one sample (C, H, W) into the picture, each pixel as a square of `scale`.
void place(Image& image, std::span<const std::uint8_t> sample, const Shape& shape, int left, int top,
           int scale) {
  const auto height = static_cast<int>(shape[1]), width = static_cast<int>(shape[2]);
  for (int y = 0; y < height * scale; ++y) {
    for (int x = 0; x < width * scale; ++x) {
      for (int c = 0; c < image.channels; ++c) {
        const auto to = (std::size_t(top + y) * std::size_t(image.width) + std::size_t(left + x)) *
                            std::size_t(image.channels) +
                        std::size_t(c);
        const auto from =
            (std::size_t(c) * std::size_t(height) + std::size_t(y / scale)) * std::size_t(width) +
            std::size_t(x / scale);
        image.pixels[to] = sample[from];
      }
    }
  }
}

void check_grid(std::span<const std::uint8_t> images, const Shape& shape, int columns) {
  const bool sample = shape.rank() == 3 && (shape[0] == 1 || shape[0] == 3) && shape.elements() > 0;
  const auto row = static_cast<std::size_t>(std::max(columns, 0)) *
                   static_cast<std::size_t>(std::max<std::int64_t>(shape.elements(), 0));
  if (sample && row > 0 && !images.empty() && images.size() % row == 0) return;
  throw Error({.what = "these samples make no grid",
               .got = std::to_string(images.size()) + " bytes, samples of shape " + shape.text() + ", " +
                      std::to_string(columns) + " columns",
               .expected = "whole rows of samples with 1 or 3 channels"});
}

}  // namespace

Image grid(std::span<const std::uint8_t> images, const Shape& sample_shape, int columns,
           const GridStyle& style) {
  check_grid(images, sample_shape, columns);
  const auto bytes = static_cast<std::size_t>(sample_shape.elements());
  const auto count = static_cast<int>(images.size() / bytes);
  const auto height = static_cast<int>(sample_shape[1]), width = static_cast<int>(sample_shape[2]);
  const int scale = style.scale > 0 ? style.scale : std::max(1, (56 + width - 1) / width);
  const int step_x = width * scale + style.gap, step_y = height * scale + style.gap;
  const int margin = 2 * style.gap;

  Image image;
  image.channels = static_cast<int>(sample_shape[0]);
  image.width = 2 * margin + columns * step_x - style.gap;
  image.height = 2 * margin + count / columns * step_y - style.gap;
  image.pixels.assign(std::size_t(image.width) * std::size_t(image.height) * std::size_t(image.channels),
                      style.background);
  for (int i = 0; i < count; ++i) {
    place(image, images.subspan(static_cast<std::size_t>(i) * bytes, bytes), sample_shape,
          margin + i % columns * step_x, margin + i / columns * step_y, scale);
  }
  return image;
}

}  // namespace halfling
