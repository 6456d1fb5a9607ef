// SPDX-License-Identifier: Apache-2.0
// A file of records as TensorFlow writes them ("TFRecord"): length, its checksum, data, their checksum.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace halfling::tensorboard {

class EventFile {
 public:
  /// A new file in the folder, which is made; its name is one that TensorBoard looks for. Throws Error where
  /// it cannot be written.
  void open(const std::filesystem::path& folder, double wall_time);
  /// Hands the record to the system before it returns.
  void append(std::string_view record);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace halfling::tensorboard
