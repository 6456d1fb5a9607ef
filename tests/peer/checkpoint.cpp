// SPDX-License-Identifier: Apache-2.0
// halfling's side of checkpoint.py: writes a file of every type, and tells what is in a file.
//   checkpoint write FILE    checkpoint read FILE
#include <bit>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/safetensors.hpp"

using namespace halfling;

namespace {

/// Byte i of a tensor is 7 i + its name's length: checkpoint.py computes the same.
std::vector<std::byte> content(const TensorInfo& info) {
  std::vector<std::byte> bytes(info.bytes());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(7 * i + info.name.size());
  return bytes;
}

void write(const char* file) {
  std::vector<TensorInfo> infos{{"scalar", StoredType::f32, {}}, {"g.empty", StoredType::f64, {0, 3}}};
  for (int i = 0; i <= static_cast<int>(StoredType::boolean); ++i) {
    const auto type = static_cast<StoredType>(i);
    infos.push_back({"d." + std::string(name_of(type)), type, {2, 3, 5}});
  }
  infos.push_back({"ünïcode \"quoted\"", StoredType::u8, {1, 1, 1, 1, 7}});
  std::vector<std::byte> buffer;
  write_safetensors(file, infos, {{"iteration", "12"}, {"ключ", "значение"}}, [&](const TensorInfo& info) {
    buffer = content(info);
    return std::span<const std::byte>(buffer);
  });
}

void read(const char* path) {
  const SafetensorsFile file(path);
  nlohmann::json result{{"metadata", file.metadata()}, {"tensors", nlohmann::json::object()}};
  for (const TensorInfo& info : file.tensors()) {
    std::vector<int> bytes;
    for (const std::byte byte : file.bytes(info.name)) bytes.push_back(static_cast<int>(byte));
    result["tensors"][info.name] = {{"dtype", name_of(info.type)}, {"shape", info.shape}, {"bytes", bytes}};
  }
  std::cout << result << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string mode = argc == 3 ? argv[1] : "";
    if (mode == "write") return write(argv[2]), 0;
    if (mode == "read") return read(argv[2]), 0;
    std::cerr << "checkpoint write FILE | checkpoint read FILE\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
