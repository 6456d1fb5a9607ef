// SPDX-License-Identifier: Apache-2.0
// Values with units, as people write them: "1h20m", "512MiB", "30s" or "500it". Each is written back in the
// shortest form that reads as exactly the same value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiment/experiment.hpp"

namespace halfling::config {

/// Seconds. Units h, min or m, s, ms; each at most once, the larger first; fractions allowed ("1.5h").
std::optional<double> parse_duration(std::string_view text);
std::string format_duration(double seconds);

/// Bytes. Units B, KiB, MiB, GiB, TiB (powers of 1024) and kB, MB, GB, TB (powers of 1000).
std::optional<std::int64_t> parse_size(std::string_view text);
std::string format_size(std::int64_t bytes);

/// A duration, or a number of iterations ("500it"); above zero.
std::optional<Interval> parse_interval(std::string_view text);
std::string format_interval(const Interval& interval);

/// "5000it", "10ep", "0.5ep", "640000samples", "80%" (at most 100%), all above zero; nullopt for anything
/// else.
std::optional<TrainingLength> parse_length(std::string_view text);
std::string format_length(const TrainingLength& length);

/// The shortest text that reads as this number, always with a point or an exponent: "0.0002", "1.0", "1e+30".
std::string format_number(double value);

}  // namespace halfling::config
