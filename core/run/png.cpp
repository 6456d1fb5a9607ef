// SPDX-License-Identifier: Apache-2.0
#include "run/png.hpp"

#include <png.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <string>

#include "base/atomic_file.hpp"
#include "halfling/error.hpp"

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

constexpr std::uint64_t most_bytes = 256 << 20;

png_uint_32 format_of(int channels) {
  return channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
}

std::string big_endian(std::size_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

/// PNG's "iTXt", which the simplified interface does not write: keyword, not compressed, no language.
std::string text_chunk(const std::string& text) {
  const std::string data = std::string("Description\0\0\0\0\0", 16) + text, typed = "iTXt" + data;
  boost::crc_32_type crc;
  crc.process_bytes(typed.data(), typed.size());
  return big_endian(data.size()) + typed + big_endian(crc.checksum());
}

}  // namespace

void write_png(const std::filesystem::path& file, const Image& image, const std::string& description) {
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
  constexpr std::size_t first_chunk = 8 + 25;  // the signature and IHDR
  output.write(std::span<const std::byte>(encoded).first(first_chunk));
  if (!description.empty()) output.write(text_chunk(description));
  output.write(std::span<const std::byte>(encoded).first(size).subspan(first_chunk));
  output.commit();
}

Image read_png(const std::filesystem::path& file) {
  PngImage png;
  if (!png_image_begin_read_from_file(&png, file.c_str())) png.fail("a picture cannot be read", file);
  if (PNG_IMAGE_PIXEL_SIZE(PNG_FORMAT_RGB) * std::uint64_t{png.width} * png.height > most_bytes)
    throw Error({.what = "a picture is too large to be read",
                 .where = file.string(),
                 .got = std::to_string(png.width) + " x " + std::to_string(png.height) + " pixels",
                 .expected = "at most 256 MiB of pixels"});
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
