// SPDX-License-Identifier: Apache-2.0
// The figures of a report.
#pragma once

#include <span>
#include <vector>

#include "report/figure.hpp"
#include "report/run_record.hpp"

namespace halfling {

/// A panel for each training operation, a line for each run.
Figure loss_figure(const std::vector<RunRecord>& runs);

/// A row for each value: the share of its elements by binary exponent (bars: as computed, multiplied by the
/// loss scale; line: without it), with the limits of the half format; what lies in the red part becomes zero
/// (left) or infinite (right). After Micikevicius et al. 2018, figure 3. The observations are of one
/// iteration, kind and training operation.
Figure histogram_figure(const std::string& name, const std::string& title,
                        std::span<const Observation> observations);

}  // namespace halfling
