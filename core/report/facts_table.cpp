// SPDX-License-Identifier: Apache-2.0
// What ran, on what, when.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "measure/price.hpp"
#include "report/tables.hpp"

namespace halfling {
namespace {

/// What the runs say, each thing once.
std::string distinct(const Report& report, const std::function<std::string(const RunRecord&)>& of) {
  std::vector<std::string> texts;
  for (const RunRecord& run : report.runs)
    if (std::string text = of(run); !text.empty() && std::ranges::find(texts, text) == texts.end())
      texts.push_back(std::move(text));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// "use (key = value, ...)" of a component.
std::string component(const RunRecord& run, const std::string& table) {
  std::string options;
  for (const auto& [key, value] : run.values)
    if (key.starts_with(table + ".") && key != table + ".use")
      options += (options.empty() ? "" : ", ") + key.substr(table.size() + 1) + " = " + value;
  return run.value(table + ".use") + (options.empty() ? "" : " (" + options + ")");
}

std::string plugins(const RunRecord& run) {
  const auto found = run.environment.find("plugins");
  if (found == run.environment.end() || !found->is_array()) return {};
  std::vector<std::string> names;
  for (const auto& plugin : *found)
    if (plugin.is_object() && plugin.contains("name") && plugin.contains("version") &&
        plugin["name"].is_string() && plugin["version"].is_string())
      names.push_back(plugin["name"].get<std::string>() + " " + plugin["version"].get<std::string>());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string version(const RunRecord& run) {
  const std::string commit = run.environment_text("/commit");
  if (run.environment_text("/halfling").empty()) return {};
  return run.environment_text("/halfling") + (commit.empty() ? "" : ", commit " + commit) +
         (run.environment_text("/changed") == "true" ? " with changes" : "");
}

/// "2 threads on 2 processors: AMD EPYC"
std::string processor(const RunRecord& run) {
  if (run.environment_text("/processor").empty()) return {};
  return fmt::format("{}: {} processors, {} threads", run.environment_text("/processor"),
                     run.environment_text("/processors"), run.environment_text("/threads"));
}

std::string price(const RunRecord& run) {
  if (!run.summary.price) return {};
  std::string text = price_text(*run.summary.price);
  for (const std::string* more : {&run.summary.price->name, &run.summary.price->what,
                                  &run.summary.price->source, &run.summary.price->date})
    if (!more->empty()) text += ", " + *more;
  return text;
}

std::string warmup(const RunRecord& run) {
  if (run.summary.timed_iterations == 0) return {};
  return fmt::format("{} of {} iterations", run.summary.timed_iterations,
                     run.summary.timed_iterations + run.summary.warmup_iterations);
}

}  // namespace

TableRows facts_table(const Report& report) {
  using Of = std::function<std::string(const RunRecord&)>;
  const auto environment = [](const char* pointer) -> Of {
    return [pointer](const RunRecord& run) { return run.environment_text(pointer); };
  };
  const auto of_table = [](const char* table) -> Of {
    return [table](const RunRecord& run) { return component(run, table); };
  };
  const std::pair<const char*, Of> facts[] = {
      {"experiment", [](const RunRecord& run) { return run.summary.experiment; }},
      {"device",
       [](const RunRecord& run) { return run.summary.device + ", backend " + run.summary.backend; }},
      {"processor", processor},
      {"begun", environment("/date")},
      {"data set", of_table("dataset")},
      {"architecture", of_table("architecture")},
      {"optimizer", of_table("optimizer")},
      {"loss scaler", of_table("loss_scaler")},
      {"precision", of_table("precision")},
      {"batch size", [](const RunRecord& run) { return std::to_string(run.summary.batch_size); }},
      {"seed", [](const RunRecord& run) { return run.value("experiment.seed"); }},
      {"timed", warmup},
      {"price", price},
      {"halfling", version},
      {"plugins", plugins},
      {"library", environment("/device/library")},
      {"build", environment("/build")},
      {"kernel", environment("/kernel")},
      {"folder", [](const RunRecord& run) { return run.folder.string(); }}};
  TableRows rows{{"what", "value"}};
  for (const auto& [name, of] : facts)
    if (std::string text = distinct(report, of); !text.empty()) rows.push_back({name, std::move(text)});
  return rows;
}

}  // namespace halfling
