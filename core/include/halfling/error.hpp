// SPDX-License-Identifier: Apache-2.0
// The one exception type: says what failed, where, what was got and expected, and how to mend it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "halfling/export.hpp"

namespace halfling {

/// What the user has to do about an error; decides the exit status of the program.
enum class ErrorKind {
  usage,    ///< the experiment or the command line is wrong (exit status 2)
  failure,  ///< the run failed (exit status 1)
};

/// The parts of a message; empty parts are left out.
struct ErrorDetails {
  std::string what{};  ///< what failed, one sentence without a full stop
  /// File:line:column, node, path, or an option as `table.name` ("loss_scaler.initial"); of several options
  /// that contradict each other, all, with ", " between: the program points at the first that the experiment
  /// gives.
  std::string where{};
  std::string got{};       ///< the offending value
  std::string expected{};  ///< what would have been right
  std::string hint{};      ///< how to mend it
  ErrorKind kind = ErrorKind::failure;
  std::vector<ErrorDetails> others{};  ///< faults that were found with this one; theirs are empty
};

class HALFLING_API Error : public std::runtime_error {
 public:
  explicit Error(ErrorDetails details);
  ~Error() override;
  const ErrorDetails& details() const { return details_; }

 private:
  ErrorDetails details_;
};

/// Throws one Error with all of the faults; does nothing where there is none.
HALFLING_API void throw_any(std::vector<ErrorDetails> faults);

/// A device's memory ran out. Whoever knows the trial says what would fit.
class HALFLING_API OutOfMemory : public Error {
 public:
  /// `where`: the call that failed. `bytes`: how much it asked for; 0 where it does not tell. `free`: how
  /// much was left.
  OutOfMemory(std::string where, std::uint64_t bytes, std::uint64_t free);
  ~OutOfMemory() override;
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t free() const { return free_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t free_;
};

/// "what\n  where: …\n  got: …\n  expected: …\n  hint: …", without the empty parts; then the others.
HALFLING_API std::string format(const ErrorDetails& details);

}  // namespace halfling
