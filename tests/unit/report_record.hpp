// SPDX-License-Identifier: Apache-2.0
// Runs as a report reads them, with figures that a test chooses.
#pragma once

#include <string>
#include <vector>

#include "run/run_record.hpp"

namespace halfling::test {

/// A finished run of an AC-GAN with a median of `ms`, p10 a tenth below and p90 a tenth above.
inline RunRecord record(const std::string& precision, std::int64_t batch_size, double ms, int seed = 1) {
  RunRecord run;
  run.folder = "runs/test/" + precision + std::to_string(batch_size) + "-" + std::to_string(seed);
  run.values = {{"experiment.name", "\"test\""},
                {"experiment.seed", std::to_string(seed)},
                {"precision.use", "\"" + precision + "\""},
                {"architecture.use", "\"acgan\""},
                {"dataset.use", "\"synthetic\""},
                {"input.batch_size", std::to_string(batch_size)},
                {"budget.iterations", "1000"}};
  if (precision == "mixed") run.values.emplace_back("precision.half", "\"auto\"");
  run.environment = {{"threads", 2}, {"device", {{"formats", {{"f16", "emulated"}, {"bf16", "native"}}}}}};
  Summary& s = run.summary;
  s.status = "done";
  s.experiment = "test";
  s.precision = precision;
  s.backend = "cpu";
  s.device = "processor";
  s.batch_size = s.samples_per_iteration = batch_size;
  s.iterations = 1000;
  s.timed_iterations = 997;
  s.ms_per_iteration = {ms, 0.9 * ms, 1.1 * ms};
  s.peak_bytes = precision == "fp32" ? 100 << 20 : 104 << 20;
  s.operations = {{"d", 1.5, 1, 0, 0}};
  return run;
}

/// The same, as a device does that has no half formats.
inline RunRecord emulated(RunRecord run) {
  run.environment["device"]["formats"]["bf16"] = "emulated";
  run.summary.native = false;
  run.summary.emulated = {"f16"};
  return run;
}

}  // namespace halfling::test
