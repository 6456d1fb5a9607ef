// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/run_record.hpp"

namespace halfling {

/// Of the columns of a run's grids, where its data set lists the names of its classes; else none.
std::vector<std::string> class_names(const RunRecord& run);

}  // namespace halfling
