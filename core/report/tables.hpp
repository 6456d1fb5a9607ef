// SPDX-License-Identifier: Apache-2.0
// The tables of a report: the first row is the heading, the first cell of a row names it.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace halfling {

using TableRows = std::vector<std::vector<std::string>>;

/// A row for each setting: how fast, how much memory, what it costs; means and deviations over seeds.
TableRows factors_table(const Report& report);
/// A row for each setting whose images were measured, then real images, which are the yardstick; empty where
/// none was. Settings of another extractor follow with their own yardstick.
TableRows quality_table(const Report& report);
/// A row for each setting: loss, loss scale and skipped updates of each training operation.
TableRows operations_table(const Report& report);
/// A row for each setting: what each kind of work takes of an iteration, mean over its runs; empty where no
/// run says.
TableRows work_table(const Report& report);
/// A row for each kind of work of each layer: both settings, and how many times as fast. Empty where one of
/// them does not say.
TableRows layer_table(const Comparison& comparison);
/// What the other precision gains and loses by kind of work, and the layers whose contractions it does not
/// pay in; empty where the table is.
std::string work_text(const Comparison& comparison);
/// A row for each fact: what ran, on what, when; values that differ stand beside each other.
TableRows facts_table(const Report& report);
/// A row for each setting: which formats inputs, weights, activations, gradients and optimizer states had;
/// empty where no run says.
TableRows formats_table(const Report& report);
/// A column for each key whose values differ; empty where none does.
TableRows differences_table(const Report& report);
/// Runs that did not come to the end of their budget, with the reason; empty where all did.
TableRows unfinished_table(const Report& report);
/// Of all gradients of a training operation together, what rounding to half does, by run.
TableRows lost_table(const Report& report);
/// The observed values of one iteration.
TableRows value_table(const std::vector<Observation>& observations);

}  // namespace halfling
