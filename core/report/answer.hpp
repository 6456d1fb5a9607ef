// SPDX-License-Identifier: Apache-2.0
// What the runs say, in words.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace halfling {

struct Answer {
  std::string sentence;             ///< the page begins with it
  std::vector<std::string> others;  ///< the same of further precisions and settings
  std::vector<std::string>
      notes;  ///< what the interval is, money, from which batch size on; what is worth less
};

/// All text is as the runs have it: not escaped.
Answer answer_of(const Report& report);

/// "1.62 [1.58, 1.66]"
std::string text_of(const SpeedRatio& ratio);
/// "done", "in progress", "ended without a summary"; "[disturbed]" where others slowed it.
std::string status_text(const Summary& run);

}  // namespace halfling
