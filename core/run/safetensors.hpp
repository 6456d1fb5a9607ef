// SPDX-License-Identifier: Apache-2.0
// The safetensors file format (https://github.com/huggingface/safetensors, README "Format"): a 64-bit header
// length, a JSON header, packed little-endian tensors in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfling/dtype.hpp"

namespace halfling {

/// The element types of the format that halfling knows; DType and i64.
enum class StoredType : std::uint8_t { f64, i64, f32, i32, f16, bf16, u8, boolean };

std::size_t size_of(StoredType type);
/// "F64", "BOOL", …: as written in the header.
std::string_view name_of(StoredType type);
StoredType stored_type(DType type);  ///< throws Error for tf32, which is never stored

struct TensorInfo {
  std::string name;
  StoredType type = StoredType::f32;
  std::vector<std::int64_t> shape;  ///< empty: a scalar

  std::int64_t elements() const;
  std::size_t bytes() const;
};

using TensorMetadata = std::map<std::string, std::string>;
/// Gives a tensor's bytes; asked once per tensor, in file order. The view must hold until the next call.
using TensorSource = std::function<std::span<const std::byte>(const TensorInfo&)>;

/// Writes the tensors sorted by descending element size, then name, with the data 64-byte aligned, one tensor
/// at a time: nothing is gathered in memory. The file appears complete or not at all (AtomicFile). Throws
/// Error for duplicate names, a source that gives a wrong number of bytes, and a file that cannot be written.
void write_safetensors(const std::filesystem::path& file, std::vector<TensorInfo> tensors,
                       const TensorMetadata& metadata, const TensorSource& source);

/// A file open for reading. The constructor checks all of the header as the reference
/// implementation does: length, JSON, no duplicate keys, types, no holes or overlaps, sizes; a fault is an
/// Error with the file and the tensor. Thread-safe once constructed.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& file);
  ~SafetensorsFile();

  const std::vector<TensorInfo>& tensors() const;  ///< in file order
  const TensorMetadata& metadata() const;
  bool contains(std::string_view name) const;
  /// Throws Error (failure) with the file's name where the tensor is not there.
  const TensorInfo& info(std::string_view name) const;
  /// Read now. Throws Error where the file has become shorter meanwhile, or cannot be read.
  std::vector<std::byte> bytes(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halfling
