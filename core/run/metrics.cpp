// SPDX-License-Identifier: Apache-2.0
#include "run/metrics.hpp"

#include <sstream>
#include <string>

#include "base/input_file.hpp"
#include "base/json_number.hpp"
#include "base/json_text.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

std::string line_of(const RunMetrics& metrics) {
  ordered_json line = {{"iteration", metrics.iteration},
                       {"epoch", metrics.epoch},
                       {"elapsed_s", metrics.elapsed},
                       {"images_per_s", json_number(metrics.images_per_s)}};
  for (const OperationMetrics& operation : metrics.operations)
    line["operations"][operation.name] = {{"loss", json_number(operation.loss)},
                                          {"loss_scale", json_number(operation.loss_scale)},
                                          {"skipped", operation.skipped},
                                          {"nonfinite", operation.nonfinite},
                                          {"learning_rate", json_number(operation.learning_rate)}};
  return json_text(line) + "\n";
}

/// Throws std::exception where the line is no line of metrics.
RunMetrics metrics_of(const ordered_json& line) {
  RunMetrics metrics;
  metrics.iteration = whole_of(line.at("iteration"));
  metrics.epoch = whole_of(line.at("epoch"));
  metrics.elapsed = line.at("elapsed_s");
  metrics.images_per_s = number_of(line.at("images_per_s"));
  const ordered_json operations = line.value("operations", ordered_json::object());
  for (const auto& [name, operation] : operations.items())
    metrics.operations.push_back({name, number_of(operation.at("loss")),
                                  number_of(operation.at("loss_scale")), whole_of(operation.at("skipped")),
                                  whole_of(operation.at("nonfinite")),
                                  number_of(operation.value("learning_rate", ordered_json(0)))});
  return metrics;
}

}  // namespace

std::vector<RunMetrics> read_metrics(const std::filesystem::path& file) {
  std::vector<RunMetrics> all;
  std::istringstream lines(read_file(file, largest_lines, Links::refused).value_or(""));
  for (std::string line; std::getline(lines, line);) try {
      all.push_back(metrics_of(parse_json(line)));
    } catch (const std::exception&) {  // torn, or somebody else's
    }
  return all;
}

RunMetrics MetricsFile::kept() const {
  try {
    return metrics_of(parse_json(lines_.kept()));
  } catch (const std::exception&) {  // none, or written by something else
    return {};
  }
}

void MetricsFile::metrics(const RunMetrics& metrics) {
  if (metrics.iteration > lines_.last()) lines_.append(metrics.iteration, line_of(metrics));
}

}  // namespace halfling
