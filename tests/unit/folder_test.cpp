// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <turbojpeg.h>
#include <zlib.h>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string be32(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string typed = type + data;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size()));
  return be32(static_cast<std::uint32_t>(data.size())) + typed + be32(static_cast<std::uint32_t>(crc));
}

/// `more`: chunks before the data. `rows` are as PNG stores them, less the filter byte that each begins with.
std::string png(std::uint32_t width, int depth, int type, const std::vector<std::string>& rows,
                const std::string& more = "") {
  std::string raw;
  for (const std::string& row : rows) raw += std::string(1, '\0') + row;
  uLongf size = compressBound(raw.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  packed.resize(size);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", be32(width) + be32(static_cast<std::uint32_t>(rows.size())) +
                           std::string{char(depth), char(type), 0, 0, 0}) +
         more + chunk("IDAT", packed) + chunk("IEND", "");
}

constexpr int gray = 0, rgb = 2, palette = 3, rgba = 6;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += char(value);
  return text;
}

/// 16x16 pixels of one colour.
std::string jpeg(int pixel_format, const std::string& pixel) {
  std::string pixels;
  for (int i = 0; i < 256; ++i) pixels += pixel;
  unsigned char* made = nullptr;
  unsigned long size = 0;
  tjhandle handle = tjInitCompress();
  tjCompress2(handle, reinterpret_cast<const unsigned char*>(pixels.data()), 16, 0, 16, pixel_format, &made,
              &size, pixel_format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444, 100, 0);
  tjDestroy(handle);
  std::string result(reinterpret_cast<const char*>(made), size);
  tjFree(made);
  return result;
}

/// A folder of pictures, with one class, "a", to begin with.
struct Pictures {
  Pictures() { std::filesystem::create_directory(scratch / "a"); }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((scratch / name).parent_path());
    write_file(scratch / name, content);
  }
  std::unique_ptr<Dataset> open(const std::vector<std::string>& classes = {}) const {
    Options options;
    options.set("root", scratch.path().string());
    options.set("classes", classes);
    options.set("size", size);
    options.set("channels", channels);
    options.set("background", std::int64_t{255});
    options.set("limit", limit);
    return make_dataset("folder", options);
  }
  /// The sample that a file of this content becomes.
  Bytes pixels_of(const std::string& content) const {
    write("a/x.png", content);
    return sample(*open(), 0).pixels;
  }
  ErrorDetails refusal_of(const std::string& content) const {
    ErrorDetails error = error_of([&] { pixels_of(content); });
    CHECK(error.where.find((scratch / "a/x.png").string()) != std::string::npos);
    return error;
  }
  ErrorDetails refusal(const std::vector<std::string>& classes = {}) const {
    ErrorDetails error = error_of([&] { open(classes); });
    CHECK(error.kind == ErrorKind::usage);
    return error;
  }

  Scratch scratch;
  std::int64_t size = 2, channels = 3, limit = 0;
};

const std::string dot = png(1, 8, gray, {bytes({7})});

}  // namespace

TEST_CASE("folder takes a class for each folder, in the order of names or of the list") {
  Pictures pictures;
  pictures.write("b/2.png", dot);
  pictures.write("b/1.JPEG", dot);
  pictures.write("a/z.jpg", dot);
  pictures.write("a/.hidden.txt", "text");
  pictures.write(".cache/x.txt", "text");
  pictures.write("README.md", "text");
  const auto all = pictures.open();
  CHECK(all->size() == 3);
  CHECK(all->classes() == std::vector<std::string>{"a", "b"});
  CHECK(all->sample_shape() == Shape{3, 2, 2});
  CHECK(sample(*all, 0).label == 0);
  CHECK(sample(*all, 2).label == 1);
  CHECK(sample(*all, 1).pixels == Bytes(12, 7));
  const auto chosen = pictures.open({"b", "a"});
  CHECK(chosen->classes() == std::vector<std::string>{"b", "a"});
  CHECK(sample(*chosen, 2).label == 1);
  pictures.limit = 1;
  CHECK(pictures.open()->size() == 2);
}

TEST_CASE("folder converts gray, palettes, alpha and 16 bits") {
  Pictures pictures;
  pictures.size = 1;
  CHECK(pictures.pixels_of(png(1, 8, gray, {bytes({90})})) == Bytes{90, 90, 90});
  CHECK(pictures.pixels_of(png(1, 8, rgb, {bytes({10, 20, 30})})) == Bytes{10, 20, 30});
  CHECK(pictures.pixels_of(png(1, 16, rgb, {bytes({10, 10, 20, 20, 30, 30})})) == Bytes{10, 20, 30});
  CHECK(pictures.pixels_of(png(1, 16, gray, {bytes({200, 200})})) == Bytes{200, 200, 200});
  CHECK(pictures.pixels_of(png(1, 1, gray, {bytes({128})})) == Bytes{255, 255, 255});
  const std::string colours = chunk("PLTE", bytes({1, 2, 3, 40, 50, 60}));
  CHECK(pictures.pixels_of(png(1, 8, palette, {bytes({1})}, colours)) == Bytes{40, 50, 60});
  CHECK(pictures.pixels_of(png(1, 8, palette, {bytes({0})}, colours + chunk("tRNS", bytes({0})))) ==
        Bytes{255, 255, 255});
  CHECK(pictures.pixels_of(png(1, 8, rgba, {bytes({10, 20, 30, 255})})) == Bytes{10, 20, 30});
  CHECK(pictures.pixels_of(png(1, 8, rgba, {bytes({10, 20, 30, 0})})) == Bytes{255, 255, 255});
  pictures.channels = 1;
  CHECK(pictures.pixels_of(png(1, 8, rgb, {bytes({70, 70, 70})})) == Bytes{70});
}

TEST_CASE("folder reads JPEG, whatever the file is called") {
  Pictures pictures;
  CHECK(pictures.pixels_of(jpeg(TJPF_GRAY, bytes({130}))) == Bytes(12, 130));
  const Bytes red = pictures.pixels_of(jpeg(TJPF_RGB, bytes({200, 40, 60})));
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(std::abs(int(red[i]) - std::vector<int>{200, 40, 60}[i / 4]) <= 2);
  pictures.channels = 1;
  CHECK(pictures.pixels_of(jpeg(TJPF_GRAY, bytes({130}))) == Bytes(4, 130));
}

TEST_CASE("folder takes the middle square, and scales it") {
  Pictures pictures;
  pictures.channels = 1;
  CHECK(pictures.pixels_of(png(4, 8, gray, {bytes({9, 1, 2, 9}), bytes({9, 3, 4, 9})})) == Bytes{1, 2, 3, 4});
  CHECK(pictures.pixels_of(png(2, 8, gray, {bytes({9, 9}), bytes({1, 2}), bytes({3, 4}), bytes({9, 9})})) ==
        Bytes{1, 2, 3, 4});
  // Four times smaller: a triangle over eight pixels, of which half lie beyond the edge at either end.
  const std::string line = bytes({0, 0, 0, 0, 200, 200, 200, 200});
  const Bytes edge = pictures.pixels_of(png(8, 8, gray, std::vector<std::string>(8, line)));
  CHECK(edge[0] == edge[2]);
  CHECK(edge[0] + edge[1] == 200);
  CHECK(edge[0] == 29);  // (0.125 + 0.375) of 3.5 weights, of 200
  pictures.size = 4;
  const Bytes larger = pictures.pixels_of(png(2, 8, gray, {bytes({0, 100}), bytes({0, 100})}));
  CHECK(Bytes(larger.begin(), larger.begin() + 4) == Bytes{0, 25, 75, 100});
}

TEST_CASE("folder refuses pictures that are damaged, too large or of another kind, by name") {
  const Pictures pictures;
  std::string noise;
  for (int i = 0; i < 3000; ++i) noise += char(i * i * 31 >> 3);
  const std::string good = png(1000, 8, rgb, {noise, noise, noise});
  CHECK(pictures.refusal_of(good.substr(0, good.size() / 2)).what.ends_with("a picture is damaged"));
  CHECK(pictures.refusal_of(good.substr(0, 20)).what.ends_with("a picture is damaged"));
  std::string damaged = good;
  damaged[60] = char(damaged[60] ^ 1);
  CHECK(pictures.refusal_of(damaged).what.ends_with("a picture is damaged"));
  std::string huge = png(60000, 8, rgb, {noise});
  huge.replace(8, 25, chunk("IHDR", be32(60000) + be32(60000) + bytes({8, 2, 0, 0, 0})));
  const ErrorDetails claim = pictures.refusal_of(huge);
  CHECK(claim.what.ends_with("a picture is too large"));
  CHECK(claim.got == "60000 x 60000 pixels");
  std::string photograph = jpeg(TJPF_RGB, bytes({200, 40, 60}));
  CHECK(pictures.refusal_of(photograph.substr(0, photograph.size() - 12))
            .what.ends_with("a picture is damaged"));
  const std::size_t frame = photograph.find("\xff\xc0");
  photograph.replace(frame + 5, 4, bytes({0xea, 0x60, 0xea, 0x60}));
  CHECK(pictures.refusal_of(photograph).got == "60000 x 60000 pixels");
  CHECK(pictures.refusal_of(jpeg(TJPF_CMYK, bytes({1, 2, 3, 4}))).got == "a JPEG in CMYK");
  CHECK(pictures.refusal_of("").what.ends_with("a data file is empty"));
  CHECK(pictures.refusal_of("GIF89a").what.ends_with("this is no PNG and no JPEG file"));
  CHECK(pictures.refusal_of("<html>").hint.starts_with("this looks like a web page"));
}

TEST_CASE("folder refuses folders without pictures, other files and unknown classes") {
  const Pictures pictures;
  pictures.write("cats/1.png", dot);
  ErrorDetails error = pictures.refusal();
  CHECK(error.what.ends_with("a class has no sample"));
  CHECK(error.where.find((pictures.scratch / "a").string()) != std::string::npos);
  error = pictures.refusal({"cats", "cast", "cats"});
  CHECK(error.got == "cast");
  CHECK(error.hint == "did you mean \"cats\"?");
  CHECK(error.others.at(0).what == "a class is chosen twice");
  pictures.write("a/notes.txt", "text");
  error = pictures.refusal();
  CHECK(error.got == "notes.txt");
  CHECK(error.expected == "names that end in .png, .jpg or .jpeg");
  CHECK(pictures.open({"cats"})->size() == 1);
  std::filesystem::remove_all(pictures.scratch / "a");
  std::filesystem::remove_all(pictures.scratch / "cats");
  CHECK(pictures.refusal().what.ends_with("there are no classes of pictures"));
  std::filesystem::remove_all(pictures.scratch.path());
  CHECK(pictures.refusal().got == "No such file or directory");
}
