// SPDX-License-Identifier: Apache-2.0
#include "halfling/error.hpp"

#include <utility>

namespace halfling {

std::string format(const ErrorDetails& details) {
  std::string text = details.what;
  const auto add = [&text](const char* label, const std::string& part) {
    if (!part.empty()) text.append("\n  ").append(label).append(": ").append(part);
  };
  add("where", details.where);
  add("got", details.got);
  add("expected", details.expected);
  add("hint", details.hint);
  return text;
}

Error::Error(ErrorDetails details) : std::runtime_error(format(details)), details_(std::move(details)) {}

Error::~Error() = default;

OutOfMemory::OutOfMemory(std::string where, std::uint64_t bytes, std::uint64_t free)
    : Error({.what = "the device's memory ran out",
             .where = std::move(where),
             .got = std::to_string(free) + " bytes free",
             .expected = bytes == 0 ? "" : std::to_string(bytes) + " bytes more",
             .hint = "lower input.batch_size"}),
      bytes_(bytes),
      free_(free) {}

OutOfMemory::~OutOfMemory() = default;

}  // namespace halfling
