// SPDX-License-Identifier: Apache-2.0
#include "measure/energy.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace halfling {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

/// Packages are called "intel-rapl:0", also those of AMD; their parts, "intel-rapl:0:1", are counted in them.
EnergyMeter::EnergyMeter(const std::filesystem::path& root) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("intel-rapl:") || std::ranges::count(name, ':') != 1) continue;
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    const auto now = number_in(entry.path() / "energy_uj");
    if (range && now) packages_.push_back({entry.path() / "energy_uj", *range, *now});
  }
}

std::optional<double> EnergyMeter::joules() {
  if (packages_.empty()) return std::nullopt;
  for (Package& package : packages_) {
    const auto now = number_in(package.counter);
    if (!now) {  // it was there before
      packages_.clear();
      return std::nullopt;
    }
    const std::uint64_t used =
        *now >= package.last ? *now - package.last : *now + package.range - package.last;
    joules_ += 1e-6 * static_cast<double>(used);
    package.last = *now;
  }
  return joules_;
}

}  // namespace halfling
