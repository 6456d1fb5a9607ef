// SPDX-License-Identifier: Apache-2.0
#include "report/summary.hpp"

#include <cmath>
#include <fstream>

#include "report/atomic_file.hpp"
#include "report/json_number.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

/// Null where nothing was measured.
ordered_json measured(double value) {
  return std::isnan(value) ? ordered_json() : json_number(value);
}

ordered_json operations_json(const std::vector<OperationFigures>& operations) {
  ordered_json result = ordered_json::object();
  for (const OperationFigures& operation : operations)
    result[operation.name] = {{"loss", json_number(operation.loss)},
                              {"loss_scale", json_number(operation.scale)},
                              {"skipped", operation.skipped}};
  return result;
}

ordered_json identity(const Summary& s) {
  ordered_json result = {{"status", s.status},         {"experiment", s.experiment}, {"trial", s.trial},
                         {"label", s.label},           {"backend", s.backend},       {"device", s.device},
                         {"precision", s.precision},   {"native", s.native},         {"emulated", s.emulated},
                         {"batch_size", s.batch_size}, {"iterations", s.iterations}, {"samples", s.samples}};
  if (!s.error.empty()) result["error"] = s.error;
  return result;
}

ordered_json as_json(const Summary& s) {
  ordered_json result = identity(s);
  result["wall_s"] = s.wall_s;
  result["setup_s"] = s.setup_s;
  result["output_s"] = s.output_s;
  result["warmup_iterations"] = s.warmup_iterations;
  result["timed_iterations"] = s.timed_iterations;
  result["ms_per_iteration"] = {{"median", measured(s.ms_per_iteration.median)},
                                {"p10", measured(s.ms_per_iteration.p10)},
                                {"p90", measured(s.ms_per_iteration.p90)}};
  result["images_per_s"] = measured(s.images_per_s);
  result["ms_per_1000_samples"] = measured(s.ms_per_1000_samples());
  result["input_wait_share"] = measured(s.input_wait_share);
  result["peak_bytes"] = s.peak_bytes > 0 ? ordered_json(s.peak_bytes) : ordered_json();
  result["planned_bytes"] = {{"total", s.planned.total()},
                             {"states", s.planned.states},
                             {"arena", s.planned.arena},
                             {"workspace", s.planned.workspace},
                             {"batches", s.planned.batches}};
  result["operations"] = operations_json(s.operations);
  result["cost"] = nullptr;  // an experiment gives no price, and none is invented
  return result;
}

Summary from_json(const ordered_json& j) {
  Summary s;
  j.at("status").get_to(s.status);
  s.error = j.value("error", "");
  j.at("experiment").get_to(s.experiment);
  j.at("trial").get_to(s.trial);
  j.at("label").get_to(s.label);
  j.at("backend").get_to(s.backend);
  j.at("device").get_to(s.device);
  j.at("precision").get_to(s.precision);
  j.at("native").get_to(s.native);
  j.at("emulated").get_to(s.emulated);
  j.at("batch_size").get_to(s.batch_size);
  j.at("iterations").get_to(s.iterations);
  j.at("samples").get_to(s.samples);
  j.at("wall_s").get_to(s.wall_s);
  j.at("setup_s").get_to(s.setup_s);
  j.at("output_s").get_to(s.output_s);
  j.at("warmup_iterations").get_to(s.warmup_iterations);
  j.at("timed_iterations").get_to(s.timed_iterations);
  const ordered_json& ms = j.at("ms_per_iteration");
  s.ms_per_iteration = {number_of(ms.at("median")), number_of(ms.at("p10")), number_of(ms.at("p90"))};
  s.images_per_s = number_of(j.value("images_per_s", ordered_json()));  // older files have none
  s.input_wait_share = number_of(j.at("input_wait_share"));
  if (!j.at("peak_bytes").is_null()) j.at("peak_bytes").get_to(s.peak_bytes);
  const ordered_json& planned = j.at("planned_bytes");
  s.planned = {planned.at("states"), planned.at("arena"), planned.at("workspace"), planned.at("batches")};
  for (const auto& [name, figures] : j.at("operations").items())
    s.operations.push_back({name, number_of(figures.at("loss")), number_of(figures.at("loss_scale")),
                            figures.at("skipped").get<std::int64_t>()});
  return s;
}

}  // namespace

double Summary::ms_per_1000_samples() const {
  return 1000 * ms_per_iteration.median / static_cast<double>(batch_size);
}

void write_summary(const std::filesystem::path& file, const Summary& summary) {
  AtomicFile output(file);
  output.write(as_json(summary).dump(2) + "\n");
  output.commit();
}

std::optional<Summary> read_summary(const std::filesystem::path& file) {
  std::ifstream stream(file);
  try {
    return from_json(ordered_json::parse(stream));
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

}  // namespace halfling
