// SPDX-License-Identifier: Apache-2.0
#include "run/safetensors.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// A file of this header and so many bytes of data.
std::string raw(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(data, '\1');
}

ErrorDetails reading(const std::string& bytes) {
  const Scratch scratch;
  write_file(scratch / "a.safetensors", bytes);
  ErrorDetails error = error_of([&] { SafetensorsFile{scratch / "a.safetensors"}; });
  const std::string path = (scratch / "a.safetensors").string();
  if (!error.what.empty()) REQUIRE(error.where.starts_with(path));
  error.where.erase(0, std::min(error.where.size(), path.size()));
  return error;
}

const std::string good = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

}  // namespace

TEST_CASE("every type survives writing and reading, aligned, in the reference's order") {
  const Scratch scratch;
  std::vector<TensorInfo> infos;
  for (int i = 0; i <= static_cast<int>(StoredType::boolean); ++i) {
    infos.push_back({"t" + std::to_string(9 - i), static_cast<StoredType>(i), {3, 1}});
  }
  infos.push_back({"scalar", StoredType::f32, {}});
  infos.push_back({"empty", StoredType::f32, {0, 5}});
  const auto value = [](const TensorInfo& info) {
    std::vector<std::byte> bytes(info.bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(info.name[0] + 7 * int(i));
    return bytes;
  };
  std::vector<std::byte> buffer;
  std::vector<std::string> asked;
  write_safetensors(scratch / "a.safetensors", infos, {{"iteration", "12"}}, [&](const TensorInfo& info) {
    asked.push_back(info.name);
    buffer = value(info);
    return std::span<const std::byte>(buffer);
  });

  const SafetensorsFile file(scratch / "a.safetensors");
  CHECK(file.metadata() == TensorMetadata{{"iteration", "12"}});
  std::vector<std::string> order;
  for (const TensorInfo& info : file.tensors()) order.push_back(info.name);
  CHECK(order == std::vector<std::string>{"t8", "t9", "empty", "scalar", "t6", "t7", "t4", "t5", "t2", "t3"});
  CHECK(asked == order);
  for (const TensorInfo& info : infos) {
    CHECK(file.info(info.name).type == info.type);
    CHECK(file.info(info.name).shape == info.shape);
    CHECK(file.bytes(info.name) == value(info));
  }
  CHECK(file.contains("t5"));
  CHECK(!file.contains("t55"));
  CHECK(error_of([&] { file.info("t55"); }).expected == "t55");
}

TEST_CASE("a file of no tensors is a file") {
  const Scratch scratch;
  write_safetensors(scratch / "a", {}, {}, {});
  CHECK(SafetensorsFile(scratch / "a").tensors().empty());
  CHECK(read_file(scratch / "a").size() == 64);
}

TEST_CASE("wrong requests to write leave no file") {
  const Scratch scratch;
  const float one = 1;
  const auto source = [&](const TensorInfo&) { return std::as_bytes(std::span(&one, 1)); };
  const auto write = [&](std::vector<TensorInfo> infos, const TensorMetadata& metadata = {}) {
    return error_of([&] { write_safetensors(scratch / "a", infos, metadata, source); });
  };
  CHECK(write({{"x", StoredType::f32, {}}, {"x", StoredType::u8, {}}}).got == "x");
  const ErrorDetails size = write({{"x", StoredType::f32, {2}}});
  CHECK(size.where == (scratch / "a").string() + ", tensor x");
  CHECK(size.got == "4 bytes");
  CHECK(size.expected == "8 bytes");
  CHECK(write({}, {{"\xff", "x"}}).what == "a name or metadata of a tensor is not UTF-8");
  CHECK(std::filesystem::is_empty(scratch.path()));
  CHECK(error_of([&] { write_safetensors(scratch / "no" / "a", {}, {}, source); }).what ==
        "a file cannot be created");
}

TEST_CASE("files of another format or cut short are refused") {
  CHECK(reading(raw(good, 8)).what.empty());
  CHECK(reading("").got == "0 bytes");
  CHECK(reading("1234567").got == "7 bytes");
  CHECK(reading("<!DOCTYPE html><html>").got.starts_with("a header of "));
  const ErrorDetails lengths = reading(raw(good, 8).substr(0, 40));
  CHECK(lengths.got == "a header of " + std::to_string(good.size()) + " bytes");
  CHECK(lengths.expected == "at most 32 bytes");
  CHECK(reading(raw(good, 7)).got == "7 bytes of data");
  CHECK(reading(raw(good, 9)).expected == "8 bytes of data, as the header says");
  CHECK(reading(raw("[1]", 0)).expected == "a header that begins with '{'");
  CHECK(reading(raw(" " + good, 8)).expected == "a header that begins with '{'");
  CHECK(reading(raw("", 0)).expected == "a header that begins with '{'");
  CHECK(reading(raw("{\"x\":", 0)).expected == "a JSON header");
  CHECK(reading(raw(good + "   ", 8)).what.empty());
}

TEST_CASE("headers that break a rule are refused, with the tensor") {
  const auto tensor = [](const std::string& entry, std::size_t data = 8) {
    return reading(raw("{\"x\":" + entry + "}", data));
  };
  CHECK(tensor(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})").expected ==
        "12 bytes, as its shape says");
  CHECK(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})").where == ", tensor x");
  CHECK(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})").expected == "[begin, end]");
  CHECK(tensor(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})").got == "-2");
  CHECK(tensor(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})").got == "2.0");
  CHECK(tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})").expected ==
        "a size that fits 64 bits");
  CHECK(tensor(R"({"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]})").got == "F8_E4M3");
  CHECK(tensor(R"({"dtype":7,"shape":[8],"data_offsets":[0,8]})").where == ", tensor x");
  CHECK(tensor(R"({"shape":[8],"data_offsets":[0,8]})").where == ", tensor x");
  CHECK(tensor("3").got == "3");
  CHECK(tensor(R"({"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]})").got ==
        "two entries named \"dtype\"");

  const std::string x = R"("x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  const auto y = [](int begin) {
    return R"("y":{"dtype":"U8","shape":[4],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(begin + 4) + "]}";
  };
  CHECK(reading(raw("{" + y(4) + "," + x + "}", 8)).what.empty());
  CHECK(reading(raw("{" + x + "," + x + "}", 8)).got == "two entries named \"x\"");
  const ErrorDetails hole = reading(raw("{" + x + "," + y(5) + "}", 9));
  CHECK(hole.where == ", tensor y");
  CHECK(hole.expected == "data from byte 4, where the tensor before it ends");
  CHECK(reading(raw("{" + x + "," + y(3) + "}", 7)).where == ", tensor y");
  CHECK(reading(raw(R"({"__metadata__":{"a":1}})", 0)).where == ", __metadata__");
}

TEST_CASE("a file that becomes shorter after it was opened is an error, not the end of the process") {
  const Scratch scratch;
  const auto path = scratch / "a.safetensors";
  write_file(path, raw(good, 8));
  const SafetensorsFile file(path);
  const std::string name = file.tensors().front().name;
  CHECK(file.bytes(name).size() == 8);
  std::filesystem::resize_file(path, good.size() + 8 + 4);
  const ErrorDetails cut = error_of([&] { file.bytes(name); });
  CHECK(cut.where == path.string());
  CHECK(cut.got.find("it ends after " + std::to_string(good.size() + 12) + " bytes") != std::string::npos);
}

TEST_CASE("a file that is not there is named") {
  CHECK(error_of([] { SafetensorsFile{"/none/a.safetensors"}; }).where == "/none/a.safetensors");
  CHECK(error_of([] { SafetensorsFile{"/tmp"}; }).where == "/tmp");
}

TEST_CASE("a file written by the reference implementation is read") {
  const SafetensorsFile file(HALFLING_TEST_DATA "/rounding.safetensors");
  for (const TensorInfo& info : file.tensors()) CHECK(file.bytes(info.name).size() == info.bytes());
  CHECK(file.tensors().size() >= 3);
}
