// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "report/report_figures.hpp"

namespace halfling {
namespace {

constexpr int width = 720;        // two beside each other in a common window keep their letters readable
constexpr int left_width = 140;   // names of values
constexpr int right_width = 112;  // shares
constexpr int row_height = 44;
constexpr int head_height = 104;
constexpr int foot_height = 64;

double shift_of(const Observation& o) {
  return o.loss_scale > 0 && std::isfinite(o.loss_scale) ? std::log2(o.loss_scale) : 0;
}

struct Axis {
  int first = 0, last = 0;
};

/// All exponents that occur, with and without the scale, and both limits of the format.
Axis axis_of(std::span<const Observation> observations) {
  const HalfLimits limits = limits_of(observations.front().judged_in);
  Axis axis{limits.smallest_subnormal - 4, std::min(limits.largest, 15) + 2};
  for (const Observation& o : observations)
    for (int e = least_exponent; e <= greatest_exponent; ++e)
      if (o.exact.of_exponent(e) > 0) {
        axis.first = std::min(axis.first, e - static_cast<int>(std::ceil(shift_of(o))));
        axis.last = std::max(axis.last, e + 1);
      }
  return axis;
}

/// One block a value: exponent, percent of the elements, the same without the scale.
std::string table_of(std::span<const Observation> observations, const Axis& axis) {
  std::string text =
      "# middle of the exponent's bin\tpercent of all elements\tmiddle of the bin without the scale\n";
  for (const Observation& o : observations) {
    text += fmt::format("# {}\n", printable(o.name()));
    const double all = static_cast<double>(std::max<std::int64_t>(o.exact.elements(), 1));
    for (int e = std::max(axis.first, least_exponent); e <= std::min(axis.last, greatest_exponent); ++e)
      text += fmt::format("{:g}\t{:g}\t{:g}\n", e + 0.5,
                          100 * static_cast<double>(o.exact.of_exponent(e)) / all, e + 0.5 - shift_of(o));
    text += "\n\n";
  }
  return text;
}

std::string percent(double share) {
  return share > 0 && share < 0.0005 ? "<0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

std::string head_of(const Observation& o) {
  const std::string scale = o.operation.empty() ? "" : fmt::format(", loss scale {:g}", o.loss_scale);
  return fmt::format("{}s{}{}, iteration {}, stored in {}", o.kind,
                     o.operation.empty() ? "" : " of operation " + o.operation, scale, o.iteration,
                     name_of(o.format));
}

/// bf16 reaches further than gradients ever do: its upper limit may lie outside.
bool shows_largest(const HalfLimits& limits, const Axis& axis) {
  return limits.largest + 1 <= axis.last;
}

std::string limits_script(const HalfLimits& limits, const Axis& axis) {
  std::string text;
  const auto area = [&](int tag, const std::string& from, const std::string& to, const char* colour) {
    text += fmt::format(
        "set object {} rectangle from {}, graph 0 to {}, graph 1 behind fc '{}' fs solid noborder\n", tag,
        from, to, colour);
  };
  const auto line = [&](int at) {
    text +=
        fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1 nohead lc rgb '#b03030'\n", at);
  };
  const std::string to_zero = fmt::format("first {}", limits.smallest_subnormal - 1);
  area(1, "graph 0", to_zero, "#f8d0d0");
  area(2, to_zero, fmt::format("first {}", limits.smallest_normal), "#fbeccb");
  line(limits.smallest_subnormal);
  line(limits.smallest_normal);
  if (!shows_largest(limits, axis)) return text;
  area(3, fmt::format("first {}", limits.largest + 1), "graph 1", "#f8d0d0");
  line(limits.largest + 1);
  return text;
}

/// What the colours and lines mean, over the first row.
std::string legend_script(const Observation& o, const Axis& axis) {
  const HalfLimits limits = limits_of(o.judged_in);
  std::string text;
  const auto mark = [&](int tag, const std::string& words, int at, const char* side) {
    text += fmt::format("set label {} {} at first {}, graph 1.22 {} font ',10' tc rgb '#b03030' noenhanced\n",
                        tag, quoted(words), at, side);
  };
  mark(11, fmt::format("smallest subnormal 2^{}", limits.smallest_subnormal), limits.smallest_subnormal,
       "right");
  mark(12, fmt::format("smallest normal 2^{}", limits.smallest_normal), limits.smallest_normal, "left");
  if (shows_largest(limits, axis))
    mark(13, o.judged_in == DType::f16 ? "largest 65504" : "largest 3.39e38", limits.largest + 1, "left");
  if (shift_of(o) != 0 && !o.operation.empty())
    text += fmt::format(
        "set arrow 20 from first {0}, graph 1.5 to first {1}, graph 1.5 head lc rgb '#2a5d9c' lw 2\n"
        "set label 14 {2} at first {3}, graph 1.75 center font ',10' tc rgb '#2a5d9c' noenhanced\n",
        limits.smallest_normal, limits.smallest_normal + shift_of(o),
        quoted(fmt::format("the loss scale shifts by {:g}", std::round(10 * shift_of(o)) / 10)),
        limits.smallest_normal + shift_of(o) / 2);
  return text;
}

std::string row_script(const std::string& name, const Observation& o, std::size_t row, bool last) {
  const HalfShares shares = o.exact.shares(o.judged_in);
  const double infinite = shares.overflow + shares.nonfinite;
  std::string text =
      fmt::format("set label 1 {} at graph -0.01, graph 0.5 right font ',11' noenhanced\n", quoted(o.value));
  const auto share = [&](int tag, const std::string& words, double at, const char* colour) {
    text += fmt::format("set label {} {} at graph 1.015, graph {} left font ',10' tc rgb '{}' noenhanced\n",
                        tag, quoted(words), at, colour);
  };
  share(2, "zero " + percent(shares.zero), 0.8, "#555555");
  share(3, "to zero " + percent(shares.underflow), 0.5, "#b03030");
  share(4, infinite > 0 ? "to inf " + percent(infinite) : "", 0.2, "#b03030");
  if (last) text += "set format x '2^{%g}'\nset xlabel 'magnitude'\n";
  text += fmt::format(
      "plot '{0}.tsv' index {1} using 1:2 with boxes lc rgb '#4a7ab5', '' index {1} using 3:2 with histeps "
      "lc rgb '#222222' lw 1\n",
      name, row);
  return text;
}

}  // namespace

Figure histogram_figure(const std::string& name, const std::string& title,
                        std::span<const Observation> observations) {
  const Axis axis = axis_of(observations);
  const auto rows = static_cast<int>(observations.size());
  const int height = head_height + rows * row_height + foot_height;
  const int exponents = axis.last - axis.first;
  const int tics = exponents > 120 ? 16 : exponents > 60 ? 8 : 4;
  std::string script = figure_start(name, width, height);
  script += fmt::format(
      "set xrange [{}:{}]\nset yrange [0:*]\nset xtics {} scale 0.4 font ',10'\nset format x ''\nunset "
      "ytics\nunset "
      "key\nset boxwidth 0.95\nset style fill solid noborder\nset clip two\n",
      axis.first, axis.last, tics);
  script += limits_script(limits_of(observations.front().judged_in), axis);
  script +=
      fmt::format("set multiplot layout {},1 margins {:.4f},{:.4f},{:.4f},{:.4f} spacing 0,0\n", rows,
                  static_cast<double>(left_width) / width, 1 - static_cast<double>(right_width) / width,
                  static_cast<double>(foot_height) / height, 1 - static_cast<double>(head_height) / height);
  const auto heading = [&](int tag, const std::string& words, double from_top) {
    script += fmt::format("set label {} {} at screen 0.5, screen {:.4f} center font ',12' noenhanced\n", tag,
                          quoted(words), 1 - from_top / height);
  };
  heading(9, title, 14);
  heading(10, head_of(observations.front()), 32);
  script += legend_script(observations.front(), axis);
  for (std::size_t row = 0; row < observations.size(); ++row) {
    script += row_script(name, observations[row], row, row + 1 == observations.size());
    if (row == 0)
      script +=
          "unset label 9\nunset label 10\nunset label 11\nunset label 12\nunset label 13\nunset label "
          "14\nunset arrow 20\n";
  }
  return {name, table_of(observations, axis), script + "unset multiplot\n"};
}

}  // namespace halfling
