// SPDX-License-Identifier: Apache-2.0
#include "convolution_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine_notes.hpp"
#include "halfling/error.hpp"

namespace halfling::cudnn {
namespace {

/// cuDNN's list of engines with settings, best first; empty where it has none for this graph and device.
std::vector<Descriptor> suggestions(const Descriptor& graph, const Target& target,
                                    cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  target.set_in_heuristics(heuristics);
  const cudnnStatus_t status = heuristics.finalize();
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return {};
  check(status, "asking the heuristics");
  constexpr std::int64_t most = 128;
  return heuristics.get_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, most);
}

std::string engine_text(const Descriptor& config, const Descriptor& engine) {
  std::string text = fmt::format("engine {}", engine.get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  const auto choices = config.get_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                              CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS);
  if (!choices.empty()) text += " knobs";
  for (const Descriptor& choice : choices)
    text += fmt::format(
        " {}={}", static_cast<int>(choice.get<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE)),
        choice.get<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  return text;
}

/// A suggestion that became a candidate, or why it did not.
struct Judgement {
  std::optional<Candidate> candidate{};
  std::string reason{};
};

Judgement judge(Descriptor config, const Target& target, const ConvolutionProblem& problem,
                const PlanOptions& options) {
  const auto engines =
      config.get_descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  const Descriptor& engine = engines.at(0);
  const EngineNotes notes = notes_of(engine);
  if (std::string reason = refusal(notes, problem, options); !reason.empty()) return {.reason = reason};
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  target.set_in_plan(plan);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (const cudnnStatus_t status = plan.finalize(); status != CUDNN_STATUS_SUCCESS)
    return {.reason = cudnnGetErrorString(status)};
  const auto workspace =
      static_cast<std::size_t>(plan.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  if (workspace > options.workspace_limit) return {.reason = "workspace"};
  std::string text = engine_text(config, engine);
  return {.candidate = Candidate{.config = std::move(config),
                                 .plan = std::move(plan),
                                 .engine = std::move(text),
                                 .source = {},
                                 .notes = names_of(notes),
                                 .workspace = workspace}};
}

std::string listed(const std::map<std::string, int>& dropped) {
  std::string text;
  for (const auto& [reason, count] : dropped)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
  return text;
}

std::string hint_for(const ConvolutionPlan& plan, const PlanOptions& options) {
  if (plan.dropped().contains("workspace"))
    return fmt::format("allow more than {} MiB of workspace, or use smaller batches",
                       options.workspace_limit >> 20);
  if (plan.dropped().empty() && is_half(plan.problem().data))
    return "the device may not compute this format: take another one with precision.half";
  return {};
}

Error nothing_left(const ConvolutionPlan& plan, const Target& target, const PlanOptions& options) {
  const std::string dropped = listed(plan.dropped());
  return Error({.what = "cuDNN has no plan for a convolution",
                .where = fmt::format("backend cudnn on {}", target.name()),
                .got = fmt::format("{}: {}", text(plan.problem()),
                                   dropped.empty() ? "no suggestion" : "only " + dropped),
                .expected = fmt::format("a plan that computes in {}", mode_of(plan.problem())),
                .hint = hint_for(plan, options)});
}

}  // namespace

ConvolutionPlan choose_plan(const Target& target, const ConvolutionProblem& problem,
                            const PlanOptions& options) {
  constexpr std::array modes{std::pair{CUDNN_HEUR_MODE_A, "A"},
                             std::pair{CUDNN_HEUR_MODE_FALLBACK, "FALLBACK"}};
  ConvolutionPlan plan(problem);
  plan.graph_ = operation_graph(problem, target);
  for (const auto& [mode, name] : modes) {
    if (plan.candidates_.size() == options.candidates) break;
    std::vector<Descriptor> configs = suggestions(plan.graph_.back(), target, mode);
    for (std::size_t i = 0; i < configs.size() && plan.candidates_.size() < options.candidates; ++i) {
      Judgement judgement = judge(std::move(configs[i]), target, problem, options);
      if (!judgement.candidate) {
        ++plan.dropped_[judgement.reason];
        continue;
      }
      judgement.candidate->source = fmt::format("{}[{}]", name, i);
      plan.candidates_.push_back(std::move(*judgement.candidate));
    }
  }
  if (plan.candidates_.empty()) throw nothing_left(plan, target, options);
  return plan;
}

std::size_t ConvolutionPlan::largest_workspace() const {
  return std::ranges::max_element(candidates_, {}, &Candidate::workspace)->workspace;
}

std::string ConvolutionPlan::record() const {
  const Candidate& best = chosen();
  std::string text = fmt::format("{} {}, {} bytes of workspace", best.source, best.engine, best.workspace);
  if (!best.notes.empty()) text += fmt::format(", {}", fmt::join(best.notes, " "));
  if (best.seconds) text += fmt::format(", {:.1f} us", 1e6 * *best.seconds);
  text += fmt::format("; {} left", candidates_.size());
  if (!dropped_.empty()) text += ", dropped " + listed(dropped_);
  return text;
}

void ConvolutionPlan::bind(const ConvolutionPointers& pointers, void* workspace) {
  constexpr std::array<std::int64_t, 3> ids{image_id, filter_id, response_id};
  const std::array<void*, 3> addresses{pointers.image, pointers.filter, pointers.response};
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const std::int64_t>(ids));
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, std::span<void* const>(addresses));
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
  pack_ = std::move(pack).finalized("a variant pack");
}

void ConvolutionPlan::execute(cudnnHandle_t handle) const {
  check(cudnnBackendExecute(handle, chosen().plan.get(), pack_.value().get()), "cudnnBackendExecute");
}

}  // namespace halfling::cudnn
