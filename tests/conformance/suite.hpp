// SPDX-License-Identifier: Apache-2.0
// What is checked of a backend.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "halfling/backend.hpp"
#include "halfling/error.hpp"

namespace halfling::conformance {

/// The backend refuses a node of the case.
class Refused : public Error {
 public:
  using Error::Error;
};

struct Check {
  std::string name;                  ///< "conv2d/3x3/bf16"
  std::function<std::string()> run;  ///< empty: passed; else what is wrong. May throw, Refused too.
};

/// Every case in every format that the device claims, against the reference: results within the case's
/// tolerance, the same bits in a second run that finds nothing but NaN in memory, no results that are all
/// zero, no node refused.
std::vector<Check> comparisons(Backend& tested, Backend& reference);

/// Errors, fresh states, profiles, memory.
std::vector<Check> interface_checks(Backend& tested);

/// Finite differences, for a backend that computes in f64.
std::vector<Check> gradient_checks(Backend& tested);

/// Weights, activations, gradients and constants that become half, bit for bit against a file of roundings
/// (tests/data/rounding.safetensors).
std::vector<Check> rounding_checks(Backend& tested, const std::filesystem::path& file);

}  // namespace halfling::conformance
