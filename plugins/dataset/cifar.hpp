// SPDX-License-Identifier: Apache-2.0
// What the datasets "cifar10" and "cifar100" share: which files and classes are chosen, and where samples
// lie.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cifar_file.hpp"
#include "halfling/dataset.hpp"

namespace halfling {

/// Reads every sample when it is asked for; in memory are eight bytes of each.
class Cifar : public Dataset {
 public:
  /// `which`: of the format's label bytes, the one that is learned. Options: root, part, classes, limit.
  Cifar(const CifarFormat& format, std::size_t which, const Options& given);

  std::int64_t size() const override { return static_cast<std::int64_t>(places_.size()); }
  Shape sample_shape() const override {
    return {CifarFormat::channels, CifarFormat::side, CifarFormat::side};
  }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override;

 private:
  struct Place {
    std::uint32_t file, record;
  };

  void choose_classes(const CifarLabel& label, const std::filesystem::path& folder,
                      const std::vector<std::string>& wanted);
  void find_samples(std::int64_t limit);
  void check_empty(const Options& given) const;
  std::int32_t class_of(int label) const { return class_of_[static_cast<std::size_t>(label)]; }

  std::size_t which_;
  std::vector<CifarFile> files_;
  std::vector<std::string> classes_;
  std::array<std::int32_t, 256> class_of_{};  ///< by label; -1: not chosen
  std::vector<std::int64_t> counts_;          ///< by class
  std::vector<Place> places_;
};

}  // namespace halfling
