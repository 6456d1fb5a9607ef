// SPDX-License-Identifier: Apache-2.0
#include "suite.hpp"

#include "case.hpp"
#include "finite_difference.hpp"
#include "runner.hpp"

namespace halfling::conformance {
namespace {

std::vector<Format> formats_of(const Case& the_case, const Device& device) {
  if (the_case.formats == Formats::once) return {{"f32", DType::f32, DType::f32}};
  std::vector<Format> formats;
  const auto add = [&](DType format, DType io, DType compute) {
    if (device.support(format) != FormatSupport::none)
      formats.push_back({std::string(name_of(format)), io, compute});
  };
  add(DType::f64, DType::f64, DType::f64);
  add(DType::f32, DType::f32, DType::f32);
  if (the_case.formats == Formats::and_tf32) add(DType::tf32, DType::f32, DType::tf32);
  add(DType::f16, DType::f16, DType::f32);
  add(DType::bf16, DType::bf16, DType::f32);
  return formats;
}

Tolerance tolerance_of(const Case& the_case, const Allowance& allowance, const Format& format, DType stored) {
  if (allowance.exact()) return {.contraction = the_case.contraction};
  const DType compute = format.compute == DType::tf32 ? DType::f32 : format.compute;
  const double epsilon = ulp(compute, 1);
  return {.ulps = ulp(stored, 1) > epsilon ? 1.0 : 0.0,
          .relative = allowance.ulps * epsilon,
          .absolute = allowance.epsilons * epsilon + allowance.storage * ulp(format.io, 1),
          .contraction = the_case.contraction};
}

/// One line for every result that is not right.
std::string faults(const Results& got, const Results& expected, const Case& the_case, const Format& format) {
  std::string text;
  for (const auto& [name, value] : expected) {
    const bool is_gradient = name.find("/d ") != std::string::npos;
    const Allowance allowance =
        is_gradient ? the_case.gradient_tolerance.value_or(the_case.tolerance) : the_case.tolerance;
    const std::string wrong =
        difference(got.at(name), value, tolerance_of(the_case, allowance, format, value.dtype));
    if (!wrong.empty()) text += "\n  " + name + ": " + wrong;
    if (wrong.empty() && !the_case.zeros && all_zero(value))
      text += "\n  " + name + ": every element is zero, which proves nothing";
  }
  return text;
}

std::string changes(const Results& first, const Results& second) {
  std::string text;
  for (const auto& [name, value] : first)
    if (!(value == second.at(name)))
      text += "\n  " + name + ": a second run, in memory full of NaN, gave other bits";
  return text;
}

std::string compare(Backend& tested, Backend& reference, const Case& the_case, const Format& format) {
  Program program(tested, the_case, format);
  const Results got = program.run();
  const Results expected = Program(reference, the_case, format).run();
  return faults(got, expected, the_case, format) + changes(got, program.run(Memory::spoiled));
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto list : {contraction_cases, convolution_cases, normalization_cases, pointwise_cases,
                          reduction_cases, loss_cases, shape_cases, random_cases, update_cases, state_cases,
                          chain_cases, nonfinite_cases, special_cases, random_graph_cases, large_cases})
    for (Case& one : list()) cases.push_back(std::move(one));
  return cases;
}

std::vector<Check> comparisons(Backend& tested, Backend& reference) {
  const Device device = tested.devices().at(0);
  std::vector<Check> checks;
  for (const Case& the_case : all_cases())
    for (const Format& format : formats_of(the_case, device))
      checks.push_back({the_case.name + "/" + format.name, [&tested, &reference, the_case, format] {
                          return compare(tested, reference, the_case, format);
                        }});
  return checks;
}

std::vector<Check> gradient_checks(Backend& tested) {
  std::vector<Check> checks;
  if (tested.devices().at(0).support(DType::f64) == FormatSupport::none) return checks;
  for (const Case& the_case : all_cases())
    if (the_case.order > 0)
      checks.push_back({"finite-difference/" + the_case.name,
                        [&tested, the_case] { return check_gradients(tested, the_case); }});
  return checks;
}

}  // namespace halfling::conformance
