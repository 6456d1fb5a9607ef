// SPDX-License-Identifier: Apache-2.0
#include "run/file_reporters.hpp"

#include <system_error>

#include "run/observation.hpp"
#include "run/png.hpp"

namespace halfling {

void GridFiles::grid(const SampleGrid& grid) {
  const std::filesystem::path file = folder_.sample(grid.iteration);
  std::error_code told_by_the_file;
  std::filesystem::create_directories(file.parent_path(), told_by_the_file);
  write_png(file, grid.image);
}

void MonitorFile::observed(const std::vector<Observation>& values) {
  std::string lines;
  for (const Observation& value : values) lines += line_of(value);
  if (!lines.empty()) lines_.append(values.front().iteration, lines);
}

}  // namespace halfling
