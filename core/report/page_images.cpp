// SPDX-License-Identifier: Apache-2.0
#include "report/page_images.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/input_file.hpp"
#include "report/class_names.hpp"
#include "report/html.hpp"
#include "report/strip.hpp"
#include "run/png.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

/// Empty for what is no PNG, whatever it is called.
std::string picture(const fs::path& file) {
  std::string bytes = read_file(file, largest_document, Links::refused).value_or("");
  return bytes.starts_with("\x89PNG\r\n") ? bytes : "";
}

std::string class_heads(const RunRecord& run) {
  const std::vector<std::string> classes = class_names(run);
  if (classes.empty()) return {};
  std::string heads = "<div class=\"classes\">";
  for (const std::string& name : classes) heads += "<span>" + html::escaped(name) + "</span>";
  return heads + "</div>\n";
}

/// The data set, and what becomes of it.
std::string data_key(const RunRecord& run) {
  std::string key = run.environment_text("/data");
  for (const auto& [name, value] : run.values)
    if (name.starts_with("dataset.") || name.starts_with("transform.")) key += "\n" + name + value;
  return key;
}

}  // namespace

std::string newest_grids(const Report& report) {
  std::string grids;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const RunRecord& run = report.runs[i];
    const std::string bytes = run.grids.empty() ? "" : picture(run.grids.back().file);
    if (bytes.empty()) continue;
    grids += fmt::format("<figure><h3>{}, iteration {}</h3>\n", html::escaped(report.names[i]),
                         run.grids.back().iteration);
    grids +=
        class_heads(run) + html::picture(bytes, "generated images of " + report.names[i]) + "</figure>\n";
  }
  if (grids.empty()) return {};
  return "<h2>Images</h2>\n"
         "<p>The newest grid of each run, all from the same z; a column is a class. A look, not a measure of "
         "quality.</p>\n<div class=\"side\">\n" +
         grids + "</div>\n";
}

std::string grids_over_time(const Report& report, const fs::path& figures) {
  std::string strips;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const RunRecord& run = report.runs[i];
    const auto strip = strip_of(run);
    if (!strip) continue;
    const fs::path file = figures / fmt::format("strip-{}.png", i + 1);
    write_png(file, strip->image);
    strips += fmt::format("<figure><h3>{}</h3>\n<div class=\"strip\"><ol>", html::escaped(report.names[i]));
    for (const std::int64_t iteration : strip->iterations) strips += fmt::format("<li>{}</li>", iteration);
    strips += "</ol><div>" + class_heads(run) +
              html::picture(picture(file), "generated images of " + report.names[i] + " over time") +
              "</div></div></figure>\n";
  }
  if (strips.empty()) return {};
  return "<h3>Over time</h3>\n<p>One z of each class, by iteration.</p>\n<div class=\"side\">\n" + strips +
         "</div>\n";
}

std::string data_sheets(const Report& report) {
  std::vector<std::string> shown;
  std::string sheets;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const RunRecord& run = report.runs[i];
    const std::string bytes = run.data_sheet.empty() ? "" : picture(run.data_sheet);
    const std::string key = data_key(run);
    if (bytes.empty() || std::ranges::find(shown, key) != shown.end()) continue;
    shown.push_back(key);
    sheets += "<figure><h3>" + html::escaped(run.value("dataset.use")) + "</h3>\n" + class_heads(run) +
              html::picture(bytes, "real images, as the networks see them") + "</figure>\n";
  }
  if (sheets.empty()) return {};
  return "<h3>Data</h3>\n<p>Real images of the first batch as the networks see them, transformed; a column "
         "is a "
         "class.</p>\n<div class=\"side\">\n" +
         sheets + "</div>\n";
}

}  // namespace halfling
