// SPDX-License-Identifier: Apache-2.0
#include "cli/trials.hpp"

#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace halfling::cli {

std::string trial_table(const LoadedExperiment& loaded) {
  std::vector<Row> rows{{"NUMBER", "TRIAL", "SETS"}};
  for (std::size_t i = 0; i < loaded.trials.size(); ++i)
    rows.push_back({std::to_string(i + 1), loaded.trials[i].id, loaded.trials[i].label});
  return table(std::move(rows), output_width(), {{"SETS", Narrowing::How::cut_end}});
}

nlohmann::ordered_json trials_json(const LoadedExperiment& loaded) {
  auto result = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < loaded.trials.size(); ++i)
    result.push_back({{"number", i + 1}, {"trial", loaded.trials[i].id}, {"label", loaded.trials[i].label}});
  return result;
}

}  // namespace halfling::cli
