// SPDX-License-Identifier: Apache-2.0
// Tables of what the numerics monitor saw.
#include <fmt/format.h>

#include <algorithm>

#include "report/tables.hpp"

namespace halfling {
namespace {

std::string percent(double share) {
  return share == 0       ? "0"
         : share < 0.0005 ? fmt::format("{:.1e} %", 100 * share)
                          : fmt::format("{:.1f} %", 100 * share);
}

/// Of all gradients of a training operation together, in every iteration that was observed.
struct Lost {
  double elements = 0, underflow = 0, subnormal = 0, overflow = 0;
};

Lost lost_by(const RunRecord& run, const std::string& operation) {
  Lost lost;
  for (const Observation& o : run.observations) {
    if (o.operation != operation) continue;
    const HalfShares shares = o.exact.shares(o.judged_in);
    const auto nonzero = static_cast<double>(o.exact.elements() - o.exact.zeros());
    const auto all = static_cast<double>(o.exact.elements());
    lost.elements += nonzero;
    lost.underflow += shares.underflow * all;
    lost.subnormal += shares.subnormal * all;
    lost.overflow += (shares.overflow + shares.nonfinite) * all;
  }
  return lost;
}

}  // namespace

TableRows lost_table(const Report& report) {
  TableRows rows{{"run"}};
  const std::vector<std::string> names = operation_names(report.runs, &RunRecord::summary);
  for (const std::string& name : names)
    for (const char* what : {": to zero", ": subnormal", ": to infinity"}) rows[0].push_back(name + what);
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    rows.push_back({report.names[i]});
    for (const std::string& name : names) {
      const Lost lost = lost_by(report.runs[i], name);
      for (const double count : {lost.underflow, lost.subnormal, lost.overflow})
        rows.back().push_back(lost.elements > 0 ? percent(count / lost.elements) : "-");
    }
  }
  return rows;
}

TableRows value_table(const std::vector<Observation>& observations) {
  TableRows rows{{"value", "stored in", "judged in", "scale", "elements", "zero before", "to zero",
                  "subnormal", "to infinity", "zero after"}};
  for (const Observation& o : observations) {
    const HalfShares shares = o.exact.shares(o.judged_in);
    const auto all = static_cast<double>(std::max<std::int64_t>(o.exact.elements(), 1));
    rows.push_back({o.value, std::string(name_of(o.format)), std::string(name_of(o.judged_in)),
                    fmt::format("{:g}", o.loss_scale), std::to_string(o.exact.elements()),
                    percent(shares.zero), percent(shares.underflow), percent(shares.subnormal),
                    percent(shares.overflow + shares.nonfinite),
                    percent(static_cast<double>(o.stored_zeros) / all)});
  }
  return rows;
}

}  // namespace halfling
