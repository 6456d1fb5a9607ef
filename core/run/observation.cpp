// SPDX-License-Identifier: Apache-2.0
#include "run/observation.hpp"

#include <sstream>

#include "base/input_file.hpp"
#include "base/json_number.hpp"
#include "base/json_text.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

DType format_named(const std::string& name) {
  for (const DType format : {DType::f64, DType::f16, DType::bf16})
    if (name_of(format) == name) return format;
  return DType::f32;
}

/// The counts from the first to the last that is not zero.
void put_counts(ordered_json& line, const ExponentHistogram& histogram) {
  int first = least_exponent, last = greatest_exponent;
  while (first < last && histogram.of_exponent(first) == 0) ++first;
  while (last > first && histogram.of_exponent(last) == 0) --last;
  line["first_exponent"] = first;
  line["counts"] = ordered_json::array();
  for (int e = first; e <= last; ++e) line["counts"].push_back(histogram.of_exponent(e));
}

constexpr std::int64_t most_elements = std::int64_t{1} << 40;  // of a value: sums over many lines stay exact

/// So many of the elements; a share is 0 to 1.
std::int64_t part_of(const ordered_json& share, std::int64_t elements) {
  const auto value = share.get<double>();
  if (!(value >= 0 && value <= 1)) throw std::out_of_range("no share");
  return std::llround(value * static_cast<double>(elements));
}

ExponentHistogram histogram_of(const ordered_json& line) {
  ExponentHistogram histogram;
  const std::int64_t elements = whole_of(line.at("elements"), 0, most_elements);
  histogram.counts.front() = part_of(line.at("zero"), elements);
  histogram.counts.back() = part_of(line.at("nonfinite"), elements);
  const std::int64_t first = whole_of(line.at("first_exponent"), least_exponent, greatest_exponent);
  auto at = static_cast<std::size_t>(1 + first - least_exponent);
  for (const ordered_json& number : line.at("counts"))
    histogram.counts.at(at++) = whole_of(number, 0, most_elements);
  whole_of(histogram.elements(), 0, most_elements);
  return histogram;
}

Observation observation_of(const ordered_json& line) {
  const ExponentHistogram exact = histogram_of(line);
  return {whole_of(line.at("iteration")),
          line.at("kind"),
          line.at("operation"),
          line.at("value"),
          format_named(line.at("format")),
          format_named(line.at("judged_in")),
          number_of(line.at("loss_scale")),
          exact,
          part_of(line.at("stored_zero"), exact.elements())};
}

}  // namespace

std::string line_of(const Observation& o) {
  const HalfShares shares = o.exact.shares(o.judged_in);
  const auto elements = static_cast<double>(o.exact.elements());
  ordered_json line = {{"iteration", o.iteration},
                       {"kind", o.kind},
                       {"operation", o.operation},
                       {"value", o.value},
                       {"format", name_of(o.format)},
                       {"judged_in", name_of(o.judged_in)},
                       {"loss_scale", json_number(o.loss_scale)},
                       {"elements", o.exact.elements()},
                       {"zero", shares.zero},
                       {"underflow", shares.underflow},
                       {"subnormal", shares.subnormal},
                       {"overflow", shares.overflow},
                       {"nonfinite", shares.nonfinite},
                       {"stored_zero", elements > 0 ? static_cast<double>(o.stored_zeros) / elements : 0}};
  put_counts(line, o.exact);
  return json_text(line) + "\n";
}

std::vector<Observation> read_observations(const std::filesystem::path& file) {
  std::vector<Observation> result;
  std::istringstream lines(read_file(file, largest_lines, Links::refused).value_or(""));
  for (std::string line; std::getline(lines, line);) try {
      result.push_back(observation_of(parse_json(line)));
    } catch (const std::exception&) {  // a run that was killed may have left a torn last line
    }
  return result;
}

}  // namespace halfling
