// SPDX-License-Identifier: Apache-2.0
// A run folder, as `runs` and `report` read it: summary.json, metrics.jsonl, monitor.jsonl, provenance.json
// and environment.json, one after the other with a byte 0 between.
#include <array>

#include "base/json_text.hpp"
#include "report/answer.hpp"
#include "report/page.hpp"
#include "report/report_figures.hpp"
#include "report/tables.hpp"
#include "run/json_lines.hpp"
#include "run/metrics.hpp"
#include "target.hpp"

using namespace halfling;

namespace {

constexpr std::array files{"summary.json", "metrics.jsonl", "monitor.jsonl", "provenance.json",
                           "environment.json"};

void write_files(std::string_view text) {
  for (const char* name : files) {
    const std::size_t end = text.find('\0');
    fuzz::write(name, text.substr(0, end));
    text = end == text.npos ? "" : text.substr(end + 1);
  }
}

void tell(const Report& report) {
  json_text(report_json(report));
  answer_of(report);
  for (const auto table : {factors_table, quality_table, operations_table, work_table, facts_table,
                           formats_table, differences_table, unfinished_table, lost_table})
    table(report);
  batch_figures(report);
  loss_figure(report, Over::time);
  loss_figure(report, Over::iterations);
  scale_figure(report);
  quality_figure(report);
  for (const RunRecord& run : report.runs)
    if (const auto last = run.last_observations(); !last.empty()) {
      histogram_figure("histogram", "run", last);
      value_table(last);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  write_files(fuzz::text_of({data, size}));
  fuzz::read_or_refuse(fuzz::scratch().string(), [] {
    std::vector<RunRecord> runs{read_run(fuzz::scratch())};
    runs.push_back(runs.front());
    runs.back().summary.precision = "fp32";  // so that it is compared with something
    tell({std::move(runs), {}});
    const MetricsFile goes_on(fuzz::scratch() / "metrics.jsonl", INT64_MAX);
    goes_on.kept();
  });
  return 0;
}
