// SPDX-License-Identifier: Apache-2.0
// The figures of a report.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace halfling {

/// Over what a curve goes.
enum class Over { iterations, time };

/// A panel for each training operation, a line for each run.
Figure loss_figure(const Report& report, Over over);
/// The loss scale of each training operation, and how many updates were skipped so far, by iteration; nothing
/// where no scale changed and nothing was skipped.
std::optional<Figure> scale_figure(const Report& report);

/// Fréchet distance and class accuracy of the checkpoints that were measured, by time of training; nothing
/// where no run has measured more than its last.
std::optional<Figure> quality_figure(const Report& report);

/// Of settings that differ in batch size, a line for each precision: milliseconds a batch, milliseconds a
/// thousand samples, times as fast as fp32, money for a million batches. Settings without times and emulated
/// ones are left out. Nothing where no line has two points.
std::vector<Figure> batch_figures(const Report& report);

/// A row for each value: the share of its elements by binary exponent (bars: as computed, multiplied by the
/// loss scale; line: without it), with the limits of the half format; what lies in the red part becomes zero
/// (left) or infinite (right). After Micikevicius et al. 2018, figure 3. The observations are of one
/// iteration, kind and training operation.
Figure histogram_figure(const std::string& name, const std::string& title,
                        std::span<const Observation> observations);

}  // namespace halfling
