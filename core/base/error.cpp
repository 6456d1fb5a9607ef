// SPDX-License-Identifier: Apache-2.0
#include "halfling/error.hpp"

#include <iterator>
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
  for (const ErrorDetails& other : details.others) text += "\n" + format(other);
  return text;
}

Error::Error(ErrorDetails details) : std::runtime_error(format(details)), details_(std::move(details)) {}

Error::~Error() = default;

void throw_any(std::vector<ErrorDetails> faults) {
  if (faults.empty()) return;
  ErrorDetails first = std::move(faults.front());
  first.others.insert(first.others.end(), std::make_move_iterator(faults.begin() + 1),
                      std::make_move_iterator(faults.end()));
  throw Error(std::move(first));
}

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
