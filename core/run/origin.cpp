// SPDX-License-Identifier: Apache-2.0
#include "run/origin.hpp"

#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/input_file.hpp"
#include "base/json_text.hpp"
#include "base/wait_policy.hpp"
#include "halfling/dataset.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/optimizer.hpp"
#include "measure/build.hpp"
#include "measure/machine.hpp"
#include "plan/formats.hpp"
#include "run/origin_changes.hpp"

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

ordered_json device_json(const Platform& platform) {
  ordered_json formats;
  for (const DType format : floating_formats)
    formats[std::string(name_of(format))] = name_of(platform.device.support(format));
  return {{"backend", platform.backend_name},
          {"choice", platform.choice},
          {"passed_over", platform.passed_over},
          {"name", platform.device.name},
          {"library", platform.device.library},
          {"memory_bytes", platform.device.memory},
          {"formats", formats}};
}

ordered_json plugins_json(const Experiment& e, const Platform& platform, const Registry& registry) {
  std::vector<std::pair<const char*, std::string>> used = {
      {Backend::kind, platform.backend_name}, {PrecisionPolicy::kind, e.precision.use},
      {LossScaler::kind, e.loss_scaler.use},  {Optimizer::kind, e.optimizer.use},
      {Dataset::kind, e.dataset.use},         {Architecture::kind, e.architecture.use},
  };
  for (const NamedChoice& element : e.transforms) used.emplace_back(Transform::kind, element.use);
  for (const NamedChoice& element : e.reporters) used.emplace_back(Reporter::kind, element.use);
  for (const auto& [operation, own] : e.optimizer_of) {
    const std::pair<const char*, std::string> optimizer{Optimizer::kind, own.use};
    if (std::ranges::find(used, optimizer) == used.end()) used.push_back(optimizer);
  }
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

/// What each kind of value is stored in: elements by format.
ordered_json formats_json(const Graph& iteration) {
  ordered_json result = ordered_json::object();
  for (const FormatUse& use : formats_of(iteration))
    for (const auto& [format, elements] : use.elements)
      result[use.kind][std::string(name_of(format))] = elements;
  return result;
}

ordered_json environment(const Experiment& experiment, const Computation& c, const Registry& registry) {
  const Machine machine = this_machine();
  const Build build = this_build();
  const std::string data = data_fingerprint(c.dataset);
  return {{"halfling", HALFLING_VERSION},
          {"commit", build.commit},
          {"changed", build.changed},
          {"build", build.compiler + ", " + build.options},
          {"date", utc_now()},
          {"plugins", plugins_json(experiment, c.platform, registry)},
          {"device", device_json(c.platform)},
          {"processor", machine.processor},
          {"processors", machine.processors},
          {"threads", c.platform.device.threads},
          {"wait_policy", wait_policy()},
          {"kernel", machine.kernel},
          {"compiler", machine.compiler},
          {"data", data.empty() ? ordered_json() : ordered_json(data)},
          {"formats", formats_json(c.graph)},
          {"steps", steps_json(c.iteration)}};
}

/// An empty object where there is none, or none that can be understood: what it tells is not needed to go on.
ordered_json read_environment(const fs::path& file) {
  const ordered_json read = parse_json(read_file(file, largest_document, Links::refused).value_or(""));
  return read.is_object() ? read : ordered_json::object();
}

}  // namespace

std::vector<std::string> write_origin(const RunFolder& folder, const Experiment& experiment,
                                      const Computation& computation, const Registry& registry,
                                      bool goes_on) {
  const fs::path file = folder.path() / "environment.json";
  ordered_json now = environment(experiment, computation, registry);
  std::vector<std::string> changes;
  if (goes_on) {
    const ordered_json before = read_environment(file);
    changes = changes_between(before, now);
    now = with_history(std::move(now), before);
  }
  write_text(folder.experiment(), experiment.toml);
  write_text(folder.path() / "provenance.json", json_text(provenance(experiment), 2) + "\n");
  write_text(file, json_text(now, 2) + "\n");
  return changes;
}

}  // namespace halfling
