// SPDX-License-Identifier: Apache-2.0
// Transforms for tests: the plugins as they are built, and one that changes the shape.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "input/transform_chain.hpp"
#include "plugin/registry.hpp"

namespace halfling::test {

using Bytes = std::vector<std::uint8_t>;

/// `values`: all of the plugin's options.
inline NamedTransform built(const std::string& use, const std::map<std::string, OptionValue>& values,
                            std::string name = "") {
  static const Registry registry = Registry::scan_only({HALFLING_TRANSFORM_PLUGINS});
  Options options;
  for (const auto& [option, value] : values) options.set(option, value);
  return {name.empty() ? use : std::move(name), registry.create<Transform>(use, options)};
}

inline NamedTransform flip(double probability, std::string name = "flip") {
  return built("flip", {{"probability", probability}}, std::move(name));
}

/// Keeps the upper left corner.
class Corner : public Transform {
 public:
  explicit Corner(std::int64_t side) : side_(side) {}
  SampleFormat output(const SampleFormat& input) const override {
    if (input.shape[1] < side_ || input.shape[2] < side_)
      throw Error({.what = "the corner is larger than the sample",
                   .where = "transform.size",
                   .got = std::to_string(side_),
                   .kind = ErrorKind::usage});
    return {.shape = {input.shape[0], side_, side_}};
  }
  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             SampleRandom&) const override {
    const auto side = static_cast<std::size_t>(side_), width = static_cast<std::size_t>(format.shape[2]);
    const auto height = static_cast<std::size_t>(format.shape[1]);
    for (std::size_t row = 0; row < to.size() / side; ++row)
      std::memcpy(&to[row * side], &from[(row / side * height + row % side) * width], side);
  }

 private:
  std::int64_t side_;
};

inline NamedTransform corner(std::int64_t side, std::string name = "corner") {
  return {std::move(name), std::make_unique<Corner>(side)};
}

template <class... Elements>
std::vector<NamedTransform> chain(Elements... elements) {
  std::vector<NamedTransform> result;
  (result.push_back(std::move(elements)), ...);
  return result;
}

}  // namespace halfling::test
