// SPDX-License-Identifier: Apache-2.0
#include "run/initial_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/json_text.hpp"
#include "halfling/error.hpp"
#include "iteration/average.hpp"
#include "run/checkpoint.hpp"
#include "run/safetensors.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t named = 3;  // of a list; the file has all

bool is_weight(const State& state) {
  return state.role == StateRole::parameter || state.role == StateRole::statistic ||
         state.role == StateRole::average;
}

fs::path file_of(const fs::path& from) {
  std::error_code none;
  if (!fs::is_directory(from, none)) return from;
  if (const auto newest = newest_checkpoint(from / "checkpoints")) return *newest;
  throw Error({.what = "the run has no checkpoint to begin with",
               .where = "experiment.init_from",
               .got = from.string(),
               .expected = "a checkpoint, or a run folder that has one",
               .kind = ErrorKind::usage});
}

std::string list_of(const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const auto shown = std::vector(names.begin(), names.begin() + std::min(named, names.size()));
  return fmt::format("; {}: {}{}", what, fmt::join(shown, ", "),
                     names.size() > named ? fmt::format(" and {} more", names.size() - named) : "");
}

std::string text_of(StoredType type, const std::vector<std::int64_t>& shape) {
  return fmt::format("{} [{}]", name_of(type), fmt::join(shape, ", "));
}

/// The name under which the file has it; empty where it has not.
std::string stored_name(const SafetensorsFile& file, const State& state) {
  if (file.contains(state.name)) return state.name;
  if (state.role != StateRole::average) return {};
  const std::string averaged = averaged_state(state.name);
  return file.contains(averaged) ? averaged : "";
}

void take(const SafetensorsFile& file, const State& state, Session& session, InitialWeights& weights) {
  const std::string name = stored_name(file, state);
  if (name.empty()) return weights.missing.push_back(state.name);
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < state.shape.rank(); ++axis) extents.push_back(state.shape[axis]);
  const std::string here = text_of(stored_type(state.dtype), extents);
  const std::string there = text_of(file.info(name).type, file.info(name).shape);
  if (here != there)
    return weights.different.push_back(fmt::format("{} {}, here {}", state.name, there, here));
  session.write_state(state.name, file.bytes(name));
  weights.taken.push_back(state.name);
}

}  // namespace

std::string InitialWeights::text() const {
  return fmt::format("{} of {} weights are taken from {}", taken.size(),
                     taken.size() + missing.size() + different.size(), file.string()) +
         list_of("not in it", missing) + list_of("of another shape", different);
}

InitialWeights take_initial_weights(const fs::path& from, const std::vector<State>& states,
                                    Session& session) {
  InitialWeights weights;
  weights.file = file_of(from);
  const CheckpointContents contents = read_contents(weights.file);  // whole, or an error
  const SafetensorsFile file(weights.file);
  for (const State& state : states)
    if (is_weight(state)) take(file, state, session, weights);
  if (!weights.taken.empty()) return weights;
  throw Error(
      {.what = "nothing in the checkpoint fits this experiment",
       .where = "experiment.init_from",
       .got = fmt::format("{} with {} states, such as {}", weights.file.string(), contents.tensors.size(),
                          contents.tensors.empty() ? "none" : contents.tensors.front().name),
       .expected = fmt::format("weights such as {}", weights.different.empty() ? weights.missing.front()
                                                                               : weights.different.front()),
       .hint = "`halfling checkpoint FILE` lists what is in one",
       .kind = ErrorKind::usage});
}

void write_initial_weights(const fs::path& file, const InitialWeights& weights) {
  AtomicFile output(file);
  output.write(json_text(nlohmann::ordered_json{{"file", weights.file.string()},
                                                {"taken", weights.taken},
                                                {"missing", weights.missing},
                                                {"different", weights.different}},
                         2) +
               "\n");
  output.commit();
}

}  // namespace halfling
