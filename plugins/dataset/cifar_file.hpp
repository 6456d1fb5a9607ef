// SPDX-License-Identifier: Apache-2.0
// The binary versions of CIFAR-10 and CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html): files of
// records without a header, each one or two label bytes and then the red, green and blue planes of a 32x32
// image.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data_file.hpp"

namespace halfling {

/// A label byte of each record.
struct CifarLabel {
  const char* names;  ///< file with its classes' names, one a line
  int classes;
};

struct CifarFormat {
  static constexpr std::int64_t side = 32, channels = 3, image_bytes = channels * side * side;

  const char* plugin;   ///< "cifar10"
  const char* title;    ///< "CIFAR-10"
  const char* archive;  ///< "cifar-10-binary.tar.gz"
  const char* folder;   ///< that the archive holds
  std::span<const CifarLabel> labels;
  std::span<const char*const> train, test;  ///< names of files

  std::int64_t record_bytes() const { return static_cast<std::int64_t>(labels.size()) + image_bytes; }
  std::string url() const { return std::string("https://www.cs.toronto.edu/~kriz/") + archive; }
};

extern const CifarFormat cifar10, cifar100;

class CifarFile {
 public:
  /// Throws Error (usage) where the file does not consist of whole records of the format, or a label of one
  /// is no class: the only ways to find that these are other data.
  CifarFile(const std::string& name, const CifarFormat& format);

  std::int64_t records() const { return file_.size() / format_->record_bytes(); }
  const std::string& name() const { return file_.name(); }
  /// Label `which` of a record. Throws Error where the file has changed meanwhile.
  int label(std::int64_t record, std::size_t which) const;
  /// The same, and the record's image, of CifarFormat::image_bytes. Thread-safe.
  int read(std::int64_t record, std::size_t which, std::span<std::uint8_t> pixels) const;

 private:
  void check_label(std::int64_t record, std::size_t which, int label) const;
  [[noreturn]] void refuse_label(std::int64_t record, std::size_t which, int label) const;
  std::string what_it_may_be() const;

  const CifarFormat* format_;
  DataFile file_;
};

}  // namespace halfling
