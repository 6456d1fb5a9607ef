// SPDX-License-Identifier: Apache-2.0
// What cuDNN tells of an engine, and what a precision allows.
#pragma once

#include <string>
#include <vector>

#include "convolution_plan.hpp"

namespace halfling::cudnn {

struct EngineNotes {
  std::vector<cudnnBackendNumericalNote_t> numerical;
  std::vector<cudnnBackendBehaviorNote_t> behavior;
};
EngineNotes notes_of(const Descriptor& engine);

/// cuDNN's names without their prefixes; a note that is newer than this program is a number.
std::vector<std::string> names_of(const EngineNotes& notes);

/// The first note that the problem's precision and the options forbid; empty where there is none.
std::string refusal(const EngineNotes& notes, const ConvolutionProblem& problem, const PlanOptions& options);

}  // namespace halfling::cudnn
