// SPDX-License-Identifier: Apache-2.0
#include "report/metrics.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "halfling/error.hpp"
#include "report/atomic_file.hpp"
#include "report/json_number.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

std::string line_of(const RunFigures& figures) {
  ordered_json line = {{"iteration", figures.iteration},
                       {"epoch", figures.epoch},
                       {"elapsed_s", figures.elapsed},
                       {"images_per_s", json_number(figures.images_per_s)}};
  for (const OperationFigures& operation : figures.operations)
    line["operations"][operation.name] = {{"loss", json_number(operation.loss)},
                                          {"scale", json_number(operation.scale)},
                                          {"skipped", operation.skipped},
                                          {"found", operation.found}};
  return line.dump() + "\n";
}

struct Kept {
  std::string text;
  std::int64_t iteration = 0;
  double elapsed = 0;
};

Kept lines_through(const std::filesystem::path& file, std::int64_t iteration) {
  Kept kept;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const ordered_json value = ordered_json::parse(line, nullptr, false);
    if (!value.is_object() || value.value("iteration", iteration + 1) > iteration) continue;
    kept.text += line + "\n";
    kept.iteration = value["iteration"];
    kept.elapsed = value.value("elapsed_s", kept.elapsed);
  }
  return kept;
}

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
  throw Error({.what = "the metrics cannot be written",
               .where = file.string(),
               .got = std::generic_category().message(code),
               .hint = code == ENOSPC || code == EFBIG ? "free some space there" : ""});
}

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path file, std::int64_t iteration) : file_(std::move(file)) {
  const Kept kept = lines_through(file_, iteration);
  last_ = kept.iteration;
  elapsed_ = kept.elapsed;
  AtomicFile rewritten(file_);
  rewritten.write(kept.text);
  rewritten.commit();
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(file_, errno);
}

MetricsFile::~MetricsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MetricsFile::append(const RunFigures& figures) {
  if (figures.iteration <= last_) return;
  const std::string line = line_of(figures);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) fail(file_, errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  last_ = figures.iteration;
}

}  // namespace halfling
