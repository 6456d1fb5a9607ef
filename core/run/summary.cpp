// SPDX-License-Identifier: Apache-2.0
#include "run/summary.hpp"

#include <cmath>

#include "base/atomic_file.hpp"
#include "base/input_file.hpp"
#include "base/json_number.hpp"
#include "base/json_text.hpp"
#include "run/profile_json.hpp"
#include "run/quality_json.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

/// Null where nothing was measured.
ordered_json measured(double value) {
  return std::isnan(value) ? ordered_json() : json_number(value);
}

ordered_json operations_json(const std::vector<OperationMetrics>& operations) {
  ordered_json result = ordered_json::object();
  for (const OperationMetrics& operation : operations)
    result[operation.name] = {{"loss", json_number(operation.loss)},
                              {"loss_scale", json_number(operation.loss_scale)},
                              {"skipped", operation.skipped},
                              {"nonfinite", operation.nonfinite},
                              {"learning_rate", json_number(operation.learning_rate)}};
  return result;
}

ordered_json identity(const Summary& s) {
  ordered_json result = {{"status", s.status},
                         {"experiment", s.experiment},
                         {"trial", s.trial},
                         {"label", s.label},
                         {"backend", s.backend},
                         {"device", s.device},
                         {"precision", s.precision},
                         {"native", s.native},
                         {"emulated", s.emulated},
                         {"batch_size", s.batch_size},
                         {"iterations", s.iterations},
                         {"samples", s.samples},
                         {"samples_per_iteration", s.samples_per_iteration}};
  if (!s.error.empty()) result["error"] = s.error;
  return result;
}

/// Null without a price: none is invented.
ordered_json cost_json(const Summary& s) {
  if (!s.price) return nullptr;
  ordered_json result = price_json(*s.price);
  result["per_million_batches"] = measured(s.cost(1e6));
  result["per_million_samples"] = measured(s.cost(1e6 / static_cast<double>(s.samples_per_iteration)));
  return result;
}

std::optional<Price> price_of(const ordered_json& summary) {
  const auto cost = summary.find("cost");
  if (cost == summary.end() || cost->is_null()) return std::nullopt;
  return Price{number_of(cost->at("price")), cost->at("currency"), cost->at("name"), cost->at("what"),
               cost->at("source"),           cost->at("date")};
}

ordered_json disturbance_json(const Disturbance& d) {
  return {{"slowed", d.slowed()},
          {"processor_wait_share", measured(d.processor_wait_share)},
          {"involuntary_switches",
           d.involuntary_switches < 0 ? ordered_json() : ordered_json(d.involuntary_switches)},
          {"load_average", measured(d.load_average)}};
}

/// Older files have none.
Disturbance disturbance_of(const ordered_json& summary) {
  Disturbance d;
  const auto found = summary.find("disturbance");
  if (found == summary.end()) return d;
  d.processor_wait_share = number_of(found->at("processor_wait_share"));
  d.load_average = number_of(found->at("load_average"));
  const ordered_json& switches = found->at("involuntary_switches");
  if (!switches.is_null()) d.involuntary_switches = whole_of(switches);
  return d;
}

}  // namespace

ordered_json price_json(const Price& price) {
  return {{"price", price.per_hour}, {"currency", price.currency}, {"name", price.name},
          {"what", price.what},      {"source", price.source},     {"date", price.date}};
}

ordered_json summary_json(const Summary& s) {
  ordered_json result = identity(s);
  result["wall_s"] = s.wall_s;
  result["setup_s"] = s.setup_s;
  result["output_s"] = s.output_s;
  result["warmup_iterations"] = s.warmup_iterations;
  result["timed_iterations"] = s.timed_iterations;
  result["ms_per_iteration"] = {{"median", measured(s.ms_per_iteration.median)},
                                {"p10", measured(s.ms_per_iteration.p10)},
                                {"p90", measured(s.ms_per_iteration.p90)}};
  if (!s.block_ms.empty()) result["block_ms"] = s.block_ms;
  result["images_per_s"] = measured(s.images_per_s());
  result["ms_per_1000_samples"] = measured(s.ms_per_1000_samples());
  result["input_wait_share"] = measured(s.input_wait_share);
  result["disturbance"] = disturbance_json(s.disturbance);
  result["energy"] = s.joules
                         ? ordered_json{{"joules", *s.joules},
                                        {"joules_per_1000_samples", measured(s.joules_per_1000_samples())}}
                         : ordered_json();
  result["peak_bytes"] = s.peak_bytes > 0 ? ordered_json(s.peak_bytes) : ordered_json();
  result["planned_bytes"] = {{"total", s.planned.total()},   {"states", s.planned.states},
                             {"arena", s.planned.arena},     {"workspace", s.planned.workspace},
                             {"batches", s.planned.batches}, {"snapshot", s.planned.snapshot}};
  result["operations"] = operations_json(s.operations);
  if (s.profile) result["profile"] = profile_json(*s.profile);
  if (s.quality) result["quality"] = quality_json(*s.quality);
  result["cost"] = cost_json(s);
  return result;
}

namespace {

std::uint64_t bytes_of(const ordered_json& object, const char* key) {
  return static_cast<std::uint64_t>(whole_of(object.at(key)));
}

/// Throws std::exception where it is no summary.
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
  s.batch_size = whole_of(j.at("batch_size"));
  s.iterations = whole_of(j.at("iterations"));
  s.samples = whole_of(j.at("samples"));
  s.samples_per_iteration = whole_of(j.value("samples_per_iteration", ordered_json(s.batch_size)));
  j.at("wall_s").get_to(s.wall_s);
  j.at("setup_s").get_to(s.setup_s);
  j.at("output_s").get_to(s.output_s);
  s.warmup_iterations = whole_of(j.at("warmup_iterations"));
  s.timed_iterations = whole_of(j.at("timed_iterations"));
  const ordered_json& ms = j.at("ms_per_iteration");
  s.ms_per_iteration = {number_of(ms.at("median")), number_of(ms.at("p10")), number_of(ms.at("p90"))};
  if (const auto blocks = j.find("block_ms"); blocks != j.end()) blocks->get_to(s.block_ms);
  s.input_wait_share = number_of(j.at("input_wait_share"));
  s.disturbance = disturbance_of(j);
  s.executed_iterations = s.warmup_iterations + s.timed_iterations;
  std::int64_t executed_samples = 0;  // which readers multiply
  if (__builtin_mul_overflow(s.executed_iterations, s.samples_per_iteration, &executed_samples))
    throw std::out_of_range("more samples than can be");
  if (const auto energy = j.find("energy"); energy != j.end() && energy->is_object())
    s.joules = number_of(energy->at("joules"));
  s.price = price_of(j);
  if (!j.at("peak_bytes").is_null()) s.peak_bytes = bytes_of(j, "peak_bytes");
  const ordered_json& planned = j.at("planned_bytes");
  s.planned = {bytes_of(planned, "states"), bytes_of(planned, "arena"), bytes_of(planned, "workspace"),
               bytes_of(planned, "batches"),
               planned.contains("snapshot") ? bytes_of(planned, "snapshot") : 0};  // older files have none
  for (const auto& [name, metrics] : j.at("operations").items())
    s.operations.push_back({name, number_of(metrics.at("loss")), number_of(metrics.at("loss_scale")),
                            whole_of(metrics.at("skipped")), whole_of(metrics.at("nonfinite")),
                            number_of(metrics.value("learning_rate", ordered_json(0)))});
  if (const auto found = j.find("profile"); found != j.end()) s.profile = profile_of(*found);
  if (const auto found = j.find("quality"); found != j.end()) s.quality = quality_of(*found);
  return s;
}

}  // namespace

void write_summary(const std::filesystem::path& file, const Summary& summary) {
  AtomicFile output(file);
  output.write(json_text(summary_json(summary), 2) + "\n");
  output.commit();
}

std::optional<Summary> read_summary(const std::filesystem::path& file) {
  const auto text = read_file(file, largest_document, Links::refused);
  if (!text) return std::nullopt;
  try {
    return from_json(parse_json(*text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace halfling
