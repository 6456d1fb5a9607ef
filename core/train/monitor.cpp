// SPDX-License-Identifier: Apache-2.0
#include "train/monitor.hpp"

#include "iteration/batch_inputs.hpp"
#include "iteration/host_value.hpp"

namespace halfling {

Monitor::Monitor(Session& session, const IterationGraph& iteration, const std::vector<std::string>& patterns,
                 DType half)
    : monitor_(build_monitor(iteration, patterns)),
      batches_(iteration.batches),
      half_(half),
      executable_(session.compile(monitor_.graph)) {}

ExponentHistogram Monitor::total(const std::vector<std::string>& outputs) {
  ExponentHistogram result;
  for (const std::string& output : outputs) {
    const std::vector<double> counts = read_numbers(*executable_, monitor_.graph, output);
    for (std::size_t i = 0; i < counts.size(); ++i) result.counts[i] += static_cast<std::int64_t>(counts[i]);
  }
  return result;
}

std::vector<Observation> Monitor::observe(const Batch& batches) {
  write_batches(*executable_, batches, batches_);
  executable_->run();
  std::vector<Observation> result;
  for (const MonitoredValue& value : monitor_.values) {
    const Observed& what = value.what;
    const double scale =
        what.operation.empty() ? 1 : read_number(*executable_, monitor_.graph, "scaled_by." + what.operation);
    result.push_back({0, what.kind, what.operation, what.value, value.format,
                      is_half(value.format) ? value.format : half_, scale, total(value.exact),
                      total(value.stored).zeros()});
  }
  return result;
}

}  // namespace halfling
