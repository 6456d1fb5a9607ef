// SPDX-License-Identifier: Apache-2.0
// What the processors used, as the kernel's powercap interface tells it (RAPL; powercap.rst): of whole
// packages, so with all that others do on them. Most virtual machines have none, and most systems let root
// alone read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace halfling {

class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& root = "/sys/class/powercap");
  /// Joules since it was made; nullopt where the machine does not tell. Counters wrap around after some
  /// minutes at full load: it has to be asked more often than that.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;      ///< of microjoules
    std::uint64_t range = 0, last = 0;  ///< it counts up to range, then from 0
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

}  // namespace halfling
