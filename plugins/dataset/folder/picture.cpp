// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "../data_file.hpp"
#include "halfling/error.hpp"

namespace halfling {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t most_pixels = 100'000'000;

[[noreturn]] void refuse(const std::string& file, const char* what, std::string got, std::string expected,
                         const char* hint) {
  throw Error({.what = what,
               .where = file,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = hint,
               .kind = ErrorKind::usage});
}

[[noreturn]] void refuse_damaged(const std::string& file, const char* message) {
  refuse(file, "a picture is damaged", message, "a whole PNG or JPEG file",
         "fetch it again, or take it away");
}

Image blank(const std::string& file, std::int64_t width, std::int64_t height, int channels) {
  if (width < 1 || height < 1 || width > most_pixels / height)
    refuse(file, "a picture is too large", std::to_string(width) + " x " + std::to_string(height) + " pixels",
           "at most " + std::to_string(most_pixels) + " pixels in all",
           "make it smaller, or take it away; a header that claims so much may be damaged");
  Image image{static_cast<int>(width), static_cast<int>(height), channels, {}};
  image.pixels.resize(static_cast<std::size_t>(width * height * channels));
  return image;
}

/// libpng's simplified interface: errors come as a message in the struct, never by longjmp.
struct PngReader : png_image {
  PngReader() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(this); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

Image decode_png(const std::string& file, const Bytes& bytes, const PictureFormat& wanted) {
  PngReader png;
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) refuse_damaged(file, png.message);
  Image image = blank(file, png.width, png.height, wanted.channels);
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else 16 bits without a gamma would be taken as linear light
  png.format = wanted.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const png_color behind{wanted.background, wanted.background, wanted.background};
  if (!png_image_finish_read(&png, &behind, image.pixels.data(), 0, nullptr))
    refuse_damaged(file, png.message);
  return image;
}

struct DestroyJpeg {
  void operator()(void* handle) const { tjDestroy(handle); }
};

Image decode_jpeg(const std::string& file, const Bytes& bytes, const PictureFormat& wanted) {
  const std::unique_ptr<void, DestroyJpeg> jpeg(tjInitDecompress());
  if (!jpeg)
    throw Error({.what = "JPEG files cannot be read", .where = file, .got = tjGetErrorStr2(nullptr)});
  int width = 0, height = 0, sampling = 0, space = 0;
  const auto size = static_cast<unsigned long>(bytes.size());
  if (tjDecompressHeader3(jpeg.get(), bytes.data(), size, &width, &height, &sampling, &space) != 0)
    refuse_damaged(file, tjGetErrorStr2(jpeg.get()));
  if (space == TJCS_CMYK || space == TJCS_YCCK)
    refuse(file, "a picture has the colours of a printer", "a JPEG in CMYK", "RGB or gray",
           "convert it, for example with ImageMagick: magick FILE -colorspace sRGB NEW");
  Image image = blank(file, width, height, wanted.channels);
  const int format = wanted.channels == 3 ? TJPF_RGB : TJPF_GRAY;
  // What libjpeg warns of, such as a file that ends in the middle, it fills with gray.
  if (tjDecompress2(jpeg.get(), bytes.data(), size, image.pixels.data(), width, 0, height, format,
                    TJFLAG_STOPONWARNING) != 0)
    refuse_damaged(file, tjGetErrorStr2(jpeg.get()));
  return image;
}

}  // namespace

Image read_picture(const std::string& file, const PictureFormat& format) {
  const DataFile data(file, "a PNG or JPEG file");
  Bytes bytes(static_cast<std::size_t>(data.size()));
  data.read(0, bytes);
  const auto begins = [&](std::initializer_list<std::uint8_t> first) {
    return bytes.size() >= first.size() && std::equal(first.begin(), first.end(), bytes.begin());
  };
  if (begins({0x89, 'P', 'N', 'G'})) return decode_png(file, bytes, format);
  if (begins({0xff, 0xd8})) return decode_jpeg(file, bytes, format);
  refuse(file, "this is no PNG and no JPEG file", "a file that begins otherwise", "a PNG or JPEG file",
         begins({'<'}) ? "this looks like a web page saved in the place of the picture"
                       : "convert it, or take it away");
}

}  // namespace halfling
