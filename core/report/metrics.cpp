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

}  // namespace

void MetricsFile::append(const RunFigures& figures) {
  if (figures.iteration > lines_.last()) lines_.append(figures.iteration, line_of(figures));
}

}  // namespace halfling
