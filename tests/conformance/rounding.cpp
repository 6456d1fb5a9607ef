// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "halfling/builder.hpp"
#include "runner.hpp"
#include "suite.hpp"
#include "train/safetensors.hpp"

namespace halfling::conformance {
namespace {

/// A tensor of the file as a value of this format.
HostValue stored(const SafetensorsFile& file, const std::string& name, DType dtype) {
  HostValue value(dtype, {file.info(name).elements()});
  const auto bytes = file.bytes(name);
  value.bytes.assign(bytes.begin(), bytes.end());
  return value;
}

/// Casts every value of the file on the device, to the half format and back.
Case cast_case(const HostValue& values, DType half) {
  std::vector<double> elements;
  for (std::size_t i = 0; i < values.size(); ++i) elements.push_back(values.at(i));
  return {.name = "rounding",
          .build = [shape = values.shape, half, fill = list(std::move(elements))](Builder& b) {
            const Value rounded = cast(b.input("x", DType::f32, shape, fill), half);
            b.output("rounded", rounded);
            b.output("back", cast(rounded, DType::f32));
          }};
}

/// Every bit must agree, except that any NaN may stand for a NaN.
std::string bit_difference(const HostValue& got, const HostValue& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(got.at(i)) && std::isnan(expected.at(i))) continue;
    const std::size_t width = size_of(expected.dtype);
    if (std::memcmp(got.bytes.data() + i * width, expected.bytes.data() + i * width, width) != 0)
      return fmt::format("\n  {} at {}: got {}, expected {}", name_of(got.dtype), i, got.at(i),
                         expected.at(i));
  }
  return {};
}

std::string check(Backend& tested, const std::filesystem::path& path, const char* tensor, DType half) {
  const SafetensorsFile file(path);
  const HostValue expected = stored(file, tensor, half);
  HostValue widened(DType::f32, expected.shape);
  for (std::size_t i = 0; i < expected.size(); ++i) widened.set(i, expected.at(i));
  const Results got = Program(tested, cast_case(stored(file, "float32", DType::f32), half),
                              Format{"f32", DType::f32, DType::f32})
                          .run();
  return bit_difference(got.at("output rounded"), expected) + bit_difference(got.at("output back"), widened);
}

}  // namespace

std::vector<Check> rounding_checks(Backend& tested, const std::filesystem::path& file) {
  const Device device = tested.devices().at(0);
  std::vector<Check> checks;
  if (device.f16 != FormatSupport::none)
    checks.push_back(
        {"rounding/f16", [&tested, file] { return check(tested, file, "float16", DType::f16); }});
  if (device.bf16 != FormatSupport::none)
    checks.push_back(
        {"rounding/bf16", [&tested, file] { return check(tested, file, "bfloat16_bits", DType::bf16); }});
  return checks;
}

}  // namespace halfling::conformance
