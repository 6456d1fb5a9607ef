// SPDX-License-Identifier: Apache-2.0
#include "engine_notes.hpp"

#include <array>

namespace halfling::cudnn {
namespace {

constexpr std::array numerical_names{"TENSOR_CORE",
                                     "DOWN_CONVERT_INPUTS",
                                     "REDUCED_PRECISION_REDUCTION",
                                     "FFT",
                                     "NONDETERMINISTIC",
                                     "WINOGRAD",
                                     "WINOGRAD_TILE_4x4",
                                     "WINOGRAD_TILE_6x6",
                                     "WINOGRAD_TILE_13x13",
                                     "STRICT_NAN_PROP"};
constexpr std::array behavior_names{"RUNTIME_COMPILATION", "REQUIRES_FILTER_INT8x32_REORDER",
                                    "REQUIRES_BIAS_INT8x32_REORDER", "SUPPORTS_CUDA_GRAPH_NATIVE_API",
                                    "CUBLASLT_DEPENDENCY"};

template <std::size_t count>
std::string name_in(const std::array<const char*, count>& names, int note) {
  const auto index = static_cast<std::size_t>(note);
  return index < count ? names[index] : "note " + std::to_string(note);
}

std::string name_of(cudnnBackendNumericalNote_t note) {
  return name_in(numerical_names, note);
}
std::string name_of(cudnnBackendBehaviorNote_t note) {
  return name_in(behavior_names, note);
}

bool forbidden(cudnnBackendNumericalNote_t note, const ConvolutionProblem& problem,
               const PlanOptions& options) {
  const bool single = problem.data == DType::f32;
  switch (note) {
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      return true;
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      return !options.nondeterministic;
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      return single;
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:  // with f32 data: TF32
      return single && problem.compute != DType::tf32;
    default:
      return false;
  }
}

bool forbidden(cudnnBackendBehaviorNote_t note, const PlanOptions& options) {
  return note == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION && !options.runtime_compilation;
}

}  // namespace

EngineNotes notes_of(const Descriptor& engine) {
  constexpr std::int64_t most = 32;
  return {engine.get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, most),
          engine.get<cudnnBackendBehaviorNote_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, most)};
}

std::vector<std::string> names_of(const EngineNotes& notes) {
  std::vector<std::string> names;
  for (const auto note : notes.numerical) names.push_back(name_of(note));
  for (const auto note : notes.behavior) names.push_back(name_of(note));
  return names;
}

std::string refusal(const EngineNotes& notes, const ConvolutionProblem& problem, const PlanOptions& options) {
  for (const auto note : notes.numerical)
    if (forbidden(note, problem, options)) return name_of(note);
  for (const auto note : notes.behavior)
    if (forbidden(note, options)) return name_of(note);
  return {};
}

}  // namespace halfling::cudnn
