// SPDX-License-Identifier: Apache-2.0
#include "report/setting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/price.hpp"

namespace halfling {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool has_times(const RunRecord& run) {
  return run.summary.native && run.summary.status != "failed" && run.summary.ms_per_iteration.median > 0;
}

bool Setting::native() const {
  return std::ranges::all_of(runs, [](const RunRecord& run) { return run.summary.native; });
}

bool Setting::timed() const {
  return native() && std::ranges::any_of(runs, has_times);
}

std::optional<Price> Setting::price() const {
  const std::optional<Price>& price = runs.front().summary.price;
  const auto same = [&](const RunRecord& run) {
    return run.summary.price && price_text(*run.summary.price) == price_text(*price);
  };
  return price && std::ranges::all_of(runs, same) ? price : std::nullopt;
}

Spread Setting::spread_of(const std::vector<double>& values) {
  double count = 0, sum = 0, squares = 0;
  for (const double value : values)
    if (!std::isnan(value)) ++count, sum += value;
  const double mean = count > 0 ? sum / count : unknown;
  for (const double value : values)
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : unknown};
}

Spread Setting::ms() const {
  return spread(
      [](const Summary& run) { return run.status == "failed" ? unknown : run.ms_per_iteration.median; });
}

double Setting::cost(double iterations) const {
  const std::optional<Price> per = price();
  return per && timed() ? per->of(ms().mean, iterations) : unknown;
}

}  // namespace halfling
