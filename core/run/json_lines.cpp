// SPDX-License-Identifier: Apache-2.0
#include "run/json_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/input_file.hpp"
#include "base/json_number.hpp"
#include "base/json_text.hpp"
#include "base/uninterrupted.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

struct Kept {
  std::string text, last;
  std::int64_t iteration = 0;
  double elapsed = 0;
};

/// nullopt of a line that is damaged, or somebody else's.
std::optional<std::int64_t> iteration_of(const ordered_json& line) {
  if (!line.is_object() || !line.contains("iteration")) return std::nullopt;
  return whole_number(line["iteration"]);
}

Kept lines_through(const std::filesystem::path& file, std::int64_t iteration) {
  Kept kept;
  std::istringstream lines(read_file(file, largest_lines, Links::refused).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const ordered_json value = parse_json(line);
    const auto at = iteration_of(value);
    if (!at || *at > iteration) continue;
    kept.text += line + "\n";
    kept.iteration = *at;
    kept.last = line;
    if (value.contains("elapsed_s") && value["elapsed_s"].is_number()) kept.elapsed = value["elapsed_s"];
  }
  return kept;
}

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
  throw Error({.what = file.stem().string() + " cannot be written",
               .where = file.string(),
               .got = std::generic_category().message(code),
               .hint = code == ENOSPC || code == EDQUOT || code == EFBIG ? "free some space there" : ""});
}

}  // namespace

JsonLines::JsonLines(std::filesystem::path file, std::int64_t iteration) : file_(std::move(file)) {
  const Kept kept = lines_through(file_, iteration);
  last_ = kept.iteration;
  elapsed_ = kept.elapsed;
  kept_ = kept.last;
  AtomicFile rewritten(file_);
  rewritten.write(kept.text);
  rewritten.commit();
  descriptor_ =
      uninterrupted([&] { return ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW); });
  if (descriptor_ < 0) fail(file_, errno);
}

JsonLines::~JsonLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void JsonLines::append(std::int64_t iteration, const std::string& lines) {
  for (std::size_t done = 0; done < lines.size();) {
    const ssize_t written = ::write(descriptor_, lines.data() + done, lines.size() - done);
    if (written < 0 && errno != EINTR) fail(file_, errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  last_ = iteration;
}

}  // namespace halfling
