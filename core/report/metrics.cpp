// SPDX-License-Identifier: Apache-2.0
#include "report/metrics.hpp"

#include <string>

#include "report/json_number.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

std::string line_of(const RunFigures& figures) {
  ordered_json line = {{"iteration", figures.iteration},
                       {"epoch", figures.epoch},
                       {"elapsed_s", figures.elapsed},
                       {"images_per_s", json_number(figures.images_per_s)}};
  for (const OperationFigures& operation : figures.operations)
    line["operations"][operation.name] = {{"loss", json_number(operation.loss)},
                                          {"scale", json_number(operation.scale)},
                                          {"skipped", operation.skipped},
                                          {"found", operation.found}};
  return line.dump() + "\n";
}

/// Throws ordered_json::exception where the line is no line of metrics.
RunFigures figures_of(const ordered_json& line) {
  RunFigures figures{.iteration = line.at("iteration"),
                     .epoch = line.at("epoch"),
                     .elapsed = line.at("elapsed_s"),
                     .images_per_s = number_of(line.at("images_per_s")),
                     .left = {},
                     .operations = {}};
  const ordered_json operations = line.value("operations", ordered_json::object());
  for (const auto& [name, operation] : operations.items())
    figures.operations.push_back({name, number_of(operation.at("loss")), number_of(operation.at("scale")),
                                  operation.at("skipped").get<std::int64_t>(),
                                  operation.value("found", std::int64_t{0})});
  return figures;
}

}  // namespace

RunFigures MetricsFile::kept() const {
  try {
    return figures_of(ordered_json::parse(lines_.kept()));
  } catch (const ordered_json::exception&) {  // none, or written by something else
    return {};
  }
}

void MetricsFile::append(const RunFigures& figures) {
  if (figures.iteration > lines_.last()) lines_.append(figures.iteration, line_of(figures));
}

}  // namespace halfling
