// SPDX-License-Identifier: Apache-2.0
// What both ways share, and writing. Reading: safetensors_read.cpp.
#include "run/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/atomic_file.hpp"
#include "halfling/error.hpp"

namespace halfling {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

namespace {

constexpr std::size_t alignment = 64;

/// The order that the reference implementation writes: descending element size, then name.
void sort_and_check(std::vector<TensorInfo>& tensors, const std::filesystem::path& file) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tuple(size_of(b.type), std::string_view(a.name)) <
           std::tuple(size_of(a.type), std::string_view(b.name));
  });
  std::vector<std::string_view> names;
  for (const TensorInfo& tensor : tensors) names.emplace_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error({.what = "two tensors of one file have the same name",
                 .where = file.string(),
                 .got = std::string(*twice)});
  }
}

/// The JSON text, padded with blanks so that the data after it is aligned.
std::string header_of(const std::vector<TensorInfo>& tensors, const TensorMetadata& metadata,
                      const std::filesystem::path& file) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t end = 0;
  for (const TensorInfo& tensor : tensors) {
    const std::size_t begin = end;
    end += tensor.bytes();
    header.push_back({tensor.name,
                      {{"dtype", name_of(tensor.type)},
                       {"shape", tensor.shape},
                       {"data_offsets", std::array{begin, end}}}});
  }
  try {
    std::string text = header.dump();
    const std::size_t used = (sizeof(std::uint64_t) + text.size()) % alignment;
    text.append((alignment - used) % alignment, ' ');
    return text;
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        {.what = "a name or metadata of a tensor is not UTF-8", .where = file.string(), .got = error.what()});
  }
}

}  // namespace

std::size_t size_of(StoredType type) {
  switch (type) {
    case StoredType::f64:
    case StoredType::i64:
      return 8;
    case StoredType::f32:
    case StoredType::i32:
      return 4;
    case StoredType::f16:
    case StoredType::bf16:
      return 2;
    case StoredType::u8:
    case StoredType::boolean:
      return 1;
  }
  return 0;
}

std::string_view name_of(StoredType type) {
  constexpr std::array names{"F64", "I64", "F32", "I32", "F16", "BF16", "U8", "BOOL"};
  return names[static_cast<std::size_t>(type)];
}

StoredType stored_type(DType type) {
  switch (type) {
    case DType::f64:
      return StoredType::f64;
    case DType::f32:
      return StoredType::f32;
    case DType::f16:
      return StoredType::f16;
    case DType::bf16:
      return StoredType::bf16;
    case DType::i32:
      return StoredType::i32;
    case DType::u8:
      return StoredType::u8;
    case DType::boolean:
      return StoredType::boolean;
    case DType::tf32:
      break;
  }
  throw Error({.what = "this number format is never stored", .got = std::string(halfling::name_of(type))});
}

std::int64_t TensorInfo::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

std::size_t TensorInfo::bytes() const {
  return static_cast<std::size_t>(elements()) * size_of(type);
}

void write_safetensors(const std::filesystem::path& file, std::vector<TensorInfo> tensors,
                       const TensorMetadata& metadata, const TensorSource& source) {
  sort_and_check(tensors, file);
  const std::string header = header_of(tensors, metadata, file);
  const std::uint64_t length = header.size();
  AtomicFile output(file);
  output.write(std::as_bytes(std::span(&length, 1)));
  output.write(header);
  for (const TensorInfo& tensor : tensors) {
    const std::span<const std::byte> bytes = source(tensor);
    if (bytes.size() != tensor.bytes()) {
      throw Error({.what = "a tensor has the wrong size",
                   .where = file.string() + ", tensor " + tensor.name,
                   .got = std::to_string(bytes.size()) + " bytes",
                   .expected = std::to_string(tensor.bytes()) + " bytes"});
    }
    output.write(bytes);
  }
  output.commit();
}

}  // namespace halfling
