// SPDX-License-Identifier: Apache-2.0
#include "train/run_folder.hpp"

#include <nlohmann/json.hpp>
#include <system_error>

#include "halfling/error.hpp"
#include "measure/machine.hpp"
#include "report/atomic_file.hpp"
#include "report/summary.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

void write_text(const fs::path& file, const std::string& text) {
  AtomicFile output(file);
  output.write(text);
  output.commit();
}

ordered_json provenance(const Experiment& experiment) {
  ordered_json result = ordered_json::object();
  for (const Origin& origin : experiment.origins) {
    result[origin.key] = {{"value", origin.value}, {"from", origin.from}};
    if (!origin.overrode.empty()) result[origin.key]["overrode"] = origin.overrode;
  }
  return result;
}

const char* text_of(FormatSupport support) {
  switch (support) {
    case FormatSupport::native:
      return "native";
    case FormatSupport::emulated:
      return "emulated";
    case FormatSupport::none:
      break;
  }
  return "none";
}

ordered_json device_json(const Engine& engine) {
  ordered_json formats;
  for (const DType format : {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16})
    formats[std::string(name_of(format))] = text_of(engine.device.support(format));
  return {{"backend", engine.backend_name},
          {"choice", engine.choice},
          {"passed_over", engine.passed_over},
          {"name", engine.device.name},
          {"library", engine.device.library},
          {"memory_bytes", engine.device.memory},
          {"formats", formats}};
}

ordered_json plugins_json(const Experiment& e, const Engine& engine, const Registry& registry) {
  const std::pair<const char*, std::string> used[] = {
      {Backend::kind, engine.backend_name},  {PrecisionPolicy::kind, e.precision.use},
      {LossScaler::kind, e.loss_scaler.use}, {Optimizer::kind, e.optimizer.use},
      {Dataset::kind, e.dataset.use},        {Architecture::kind, e.architecture.use},
  };
  ordered_json result = ordered_json::array();
  for (const auto& [kind, name] : used) {
    const Plugin& plugin = registry.get(kind, name);
    result.push_back({{"kind", kind},
                      {"name", name},
                      {"version", plugin.descriptor->version},
                      {"file", plugin.file.string()}});
  }
  return result;
}

/// What computes each step of an iteration: the proof of which units were used.
ordered_json steps_json(const Executable& iteration) {
  ordered_json result = ordered_json::array();
  for (const ProfileEntry& entry : iteration.profile())
    result.push_back(entry.name + ": " + entry.implementation);
  return result;
}

ordered_json environment(const Trial& trial, const Registry& registry) {
  const Machine machine = this_machine();
  return {{"halfling", HALFLING_VERSION},
          {"date", utc_now()},
          {"plugins", plugins_json(trial.experiment(), trial.engine(), registry)},
          {"device", device_json(trial.engine())},
          {"processor", machine.processor},
          {"threads", machine.threads},
          {"kernel", machine.kernel},
          {"compiler", machine.compiler},
          {"steps", steps_json(trial.executable())}};
}

}  // namespace

RunFolder::RunFolder(const fs::path& out, const Experiment& experiment)
    : path_(out / experiment.name / experiment.id) {}

fs::path RunFolder::sample(std::int64_t iteration) const {
  return path_ / "samples" / (std::to_string(iteration) + ".png");
}

bool RunFolder::begun() const {
  std::error_code none;
  return fs::exists(experiment(), none);
}

bool RunFolder::finished() const {
  const std::optional<Summary> found = read_summary(summary());
  return found && found->status == "done";
}

void RunFolder::refuse_begun() const {
  if (!begun()) return;
  throw Error({.what = finished() ? "this trial has run already" : "a run of this trial was begun already",
               .where = path_.string(),
               .got = {},
               .expected = {},
               .hint = finished() ? "write a second run to another folder with --out DIR"
                                  : "continue it with --resume, or begin anew elsewhere with --out DIR",
               .kind = ErrorKind::usage});
}

void RunFolder::create() const {
  for (const fs::path& folder : {path_ / "samples", checkpoints()}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error) continue;
    throw Error({.what = "the run folder cannot be made",
                 .where = path_.string(),
                 .got = error.message(),
                 .expected = {},
                 .hint = "choose a folder that you may write to with --out DIR",
                 .kind = ErrorKind::usage});
  }
}

void RunFolder::write_origin(const Trial& trial, const Registry& registry) const {
  write_text(experiment(), trial.experiment().toml);
  write_text(path_ / "provenance.json", provenance(trial.experiment()).dump(2) + "\n");
  write_text(path_ / "environment.json", environment(trial, registry).dump(2) + "\n");
}

}  // namespace halfling
