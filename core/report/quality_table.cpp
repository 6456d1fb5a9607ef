// SPDX-License-Identifier: Apache-2.0
// How good images are: every figure of generated images beside that of real ones.
#include <fmt/format.h>

#include <cmath>

#include "report/quality_difference.hpp"
#include "report/spread_text.hpp"
#include "report/tables.hpp"

namespace halfling {
namespace {

struct Figure {
  const char* heading;
  double ImageQuality::*value;
  int digits;
  double factor;
};

constexpr Figure figures[] = {{"Fréchet distance ↓", &ImageQuality::frechet_distance, 2, 1},
                              {"kernel distance ↓", &ImageQuality::kernel_distance, 4, 1},
                              {"precision ↑", &ImageQuality::precision, 3, 1},
                              {"recall ↑", &ImageQuality::recall, 3, 1},
                              {"class accuracy ↑", &ImageQuality::class_accuracy, 3, 1},
                              {"class balance ↑", &ImageQuality::class_balance, 3, 1}};

/// Of the runs of a setting that an extractor has seen, those images that `of` takes.
template <class Of>
void add_row(TableRows& rows, std::string name, const std::vector<const Quality*>& measured, Of of) {
  rows.push_back({std::move(name)});
  for (const Figure& figure : figures) {
    std::vector<double> values;
    for (const Quality* quality : measured)
      if (const ImageQuality* images = of(*quality)) values.push_back(images->*figure.value);
    rows.back().push_back(with_deviation(Setting::spread_of(values), figure.digits));
  }
  rows.back().push_back(std::to_string(measured.front()->samples));
}

const ImageQuality* generated(const Quality& quality) {
  return &quality.generated;
}
const ImageQuality* averages(const Quality& quality) {
  return quality.averages ? &*quality.averages : nullptr;
}
const ImageQuality* real(const Quality& quality) {
  return &quality.real;
}

std::vector<const Quality*> measured_by(const Setting& setting, const std::string& extractor) {
  std::vector<const Quality*> result;
  for (const RunRecord& run : setting.runs)
    if (const Quality* quality = quality_of(run); quality != nullptr && quality->extractor == extractor)
      result.push_back(quality);
  return result;
}

std::vector<std::string> extractors_of(const Report& report) {
  std::vector<std::string> names;
  for (const RunRecord& run : report.runs)
    if (const Quality* quality = quality_of(run))
      if (std::ranges::find(names, quality->extractor) == names.end()) names.push_back(quality->extractor);
  return names;
}

}  // namespace

TableRows quality_table(const Report& report) {
  TableRows rows{{"images"}};
  for (const Figure& figure : figures) rows[0].emplace_back(figure.heading);
  rows[0].emplace_back("images a set");
  const std::vector<std::string> extractors = extractors_of(report);
  for (const std::string& extractor : extractors) {
    std::vector<const Quality*> all;
    for (const Setting& setting : report.settings) {
      const std::vector<const Quality*> measured = measured_by(setting, extractor);
      if (measured.empty()) continue;
      add_row(rows, setting.name, measured, generated);
      if (averages(*measured.front()) != nullptr)
        add_row(rows, setting.name + ", averaged weights", measured, averages);
      all.insert(all.end(), measured.begin(), measured.end());
    }
    add_row(rows, fmt::format("real, held out{}", extractors.size() > 1 ? ": " + extractor : ""), all, real);
  }
  return rows.size() > 1 ? rows : TableRows{};
}

}  // namespace halfling
