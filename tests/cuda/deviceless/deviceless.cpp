// SPDX-License-Identifier: Apache-2.0
// Asks the real cuDNN, without a GPU, for plans of every convolution that the shipped experiments run on one
// device: at least one must be left within the workspace limit, and the choices must be those of the table
// that is checked in.
//
//   deviceless DEVICE TABLE [--update] EXPERIMENT...
//
// With --update the table is written instead. One device a process, see Target.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "cudnn/convolution_plan.hpp"
#include "devices.hpp"
#include "halfling/error.hpp"
#include "shipped_convolutions.hpp"

namespace {

using namespace halfling;
using namespace halfling::test;
using cudnn::ConvolutionPlan;
using cudnn::ConvolutionProblem;

using Lines = std::vector<std::string>;

const DescribedDevice& device_of(std::string_view name) {
  const auto found = std::ranges::find(described_devices, name, &DescribedDevice::name);
  if (found == described_devices.end()) throw std::runtime_error("no such device: " + std::string(name));
  return *found;
}

std::string line_of(const ConvolutionProblem& problem, const ConvolutionPlan& plan) {
  const cudnn::Candidate& best = plan.chosen();
  return fmt::format("{} {} | {} {} | workspace {} | {}", mode_of(problem), text(problem), best.source,
                     best.engine, best.workspace,
                     best.notes.empty() ? "no notes" : fmt::format("{}", fmt::join(best.notes, " ")));
}

/// Prints what breaks a rule; how many did.
int broken_rules(const ConvolutionProblem& problem, const ConvolutionPlan& plan,
                 const cudnn::PlanOptions& options) {
  int broken = 0;
  const bool single = problem.data == DType::f32, strict = single && problem.compute == DType::f32;
  for (const cudnn::Candidate& candidate : plan.candidates()) {
    const auto carries = [&](const char* note) {
      return std::ranges::find(candidate.notes, note) != candidate.notes.end();
    };
    const bool bad = candidate.workspace > options.workspace_limit || carries("NONDETERMINISTIC") ||
                     carries("REDUCED_PRECISION_REDUCTION") || carries("RUNTIME_COMPILATION") ||
                     (single && carries("DOWN_CONVERT_INPUTS")) || (strict && carries("TENSOR_CORE"));
    if (!bad) continue;
    ++broken;
    fmt::print("{} {}: {} breaks a rule\n", mode_of(problem), text(problem), candidate.engine);
  }
  return broken;
}

Lines lines_in(const char* file) {
  std::ifstream in(file);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

int differences(const Lines& expected, const Lines& got) {
  if (expected.empty() || expected.front() != got.front()) {
    fmt::print(
        "the table is for another version of cuDNN: \"{}\", here \"{}\"; only the rules were checked\n",
        expected.empty() ? "" : expected.front(), got.front());
    return 0;
  }
  int count = 0;
  for (const std::string& line : expected)
    if (std::ranges::find(got, line) == got.end()) ++count, fmt::print("- {}\n", line);
  for (const std::string& line : got)
    if (std::ranges::find(expected, line) == expected.end()) ++count, fmt::print("+ {}\n", line);
  return count;
}

int run(const char* device_name, const char* table, bool update,
        const std::vector<std::filesystem::path>& experiments) {
  const DescribedDevice& device = device_of(device_name);
  const cudnn::Target target = cudnn::Target::described(device.full_name, properties(device));
  const cudnn::PlanOptions options;
  Lines lines{fmt::format("cuDNN {}", cudnnGetVersion())};
  int faults = 0;
  for (const ConvolutionProblem& problem : shipped_convolutions(experiments)) {
    if (problem.compute == DType::tf32 && !device.has_tf32()) continue;
    const bool possible = problem.data != DType::bf16 || device.has_bf16();
    try {
      const ConvolutionPlan plan = choose_plan(target, problem, options);
      faults += broken_rules(problem, plan, options);
      lines.push_back(line_of(problem, plan));
      if (possible) continue;
      ++faults;
      fmt::print("a plan for a format that the device does not have: {}\n", lines.back());
    } catch (const Error& error) {
      if (!possible) continue;
      ++faults;
      fmt::print("{}\n", error.what());
    }
  }
  if (update) {
    std::ofstream out(table);
    for (const std::string& line : lines) out << line << "\n";
  } else {
    faults += differences(lines_in(table), lines);
  }
  fmt::print("{}: {} plans, {} faults\n", device.name, lines.size() - 1, faults);
  return faults == 0 && lines.size() > 1 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: deviceless DEVICE TABLE [--update] EXPERIMENT...\n";
    return 2;
  }
  try {
    const bool update = std::string_view(arguments[3]) == "--update";
    return run(arguments[1], arguments[2], update, {arguments + (update ? 4 : 3), arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
