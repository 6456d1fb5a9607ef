// SPDX-License-Identifier: Apache-2.0
// Times the iterations of one experiment, and prints what they took and what they did as JSON.
//
//   iteration EXPERIMENT ITERATIONS [profile | turns] [KEY=VALUE]...
//
// With the word `turns` it sets up, prints a line, and then reads how many seconds a turn shall last at
// least: for each turn it prints the milliseconds of its iterations, ITERATIONS at least. So processes can
// take turns.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "base/wait_policy.hpp"
#include "halfling/cost.hpp"
#include "measure/iteration_times.hpp"
#include "measure/memory.hpp"
#include "train/trial.hpp"

namespace {

using namespace halfling;

/// FLOPs of the contractions, elements that optimizers update, and bytes that steps read and write, of one
/// iteration.
nlohmann::json work(const Graph& graph, const Executable& executable) {
  double flops = 0, updates = 0;
  for (const Node& node : graph.nodes()) {
    if (class_of(node.op) == OpClass::contraction) flops += cost_of(graph, node).flops;
    if (node.op == Op::adam) updates += static_cast<double>(graph.value(node.results[0]).shape.elements());
  }
  const std::vector<ProfileEntry> steps = executable.profile();
  const double bytes = std::transform_reduce(steps.begin(), steps.end(), 0.0, std::plus{},
                                             [](const ProfileEntry& step) { return step.bytes; });
  return {{"flops", flops}, {"updates", updates}, {"bytes", bytes}, {"steps", steps.size()}};
}

/// A step of casts alone: whatever else it did would be arithmetic, or name it.
bool only_casts(const ProfileEntry& entry) {
  return entry.flops == 0 && entry.name.find("/cast ") != std::string::npos;
}

void print_profile(Executable& executable) {
  std::vector<ProfileEntry> entries = executable.profile();
  std::ranges::sort(entries, std::greater{}, &ProfileEntry::seconds);
  double total = 0, casts = 0;
  for (const ProfileEntry& entry : entries) {
    total += entry.seconds;
    if (only_casts(entry)) casts += entry.seconds;
  }
  std::cerr << fmt::format("{:8.3f} ms in {} steps, {:.1f} % of it in steps that only cast\n", 1e3 * total,
                           entries.size(), total > 0 ? 100 * casts / total : 0.0);
  for (const ProfileEntry& entry : entries) {
    if (entry.seconds < 0.002 * total) break;
    std::cerr << fmt::format("{:8.3f} ms {:5.1f} % {:7.1f} GFLOP/s {:6.1f} GB/s  {}  [{}]\n",
                             1e3 * entry.seconds, 100 * entry.seconds / total,
                             entry.flops / entry.seconds / 1e9, entry.bytes / entry.seconds / 1e9, entry.name,
                             entry.implementation);
  }
}

struct Request {
  LoadRequest experiment;
  std::int64_t iterations = 0;
  bool profile = false, turns = false;
};

Request request_of(int count, char** arguments) {
  Request request{{arguments[1], {}}, std::stoll(arguments[2])};
  for (int i = 3; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "profile")
      request.profile = true;
    else if (word == "turns")
      request.turns = true;
    else
      request.experiment.set.emplace_back(word);
  }
  return request;
}

IterationOutcome iterate(Trial& trial, bool ahead) {
  if (!trial.under_way()) trial.start();
  if (trial.runs_ahead() && ahead) trial.start();  // as in training
  return trial.finish();
}

void time_once(Trial& trial, const Request& request) {
  IterationTimes times;
  trial.executable().profile(request.profile);
  for (std::int64_t i = 0; i < request.iterations + IterationTimes::warmup; ++i) {
    const IterationOutcome outcome = iterate(trial, !request.profile);
    times.add(outcome.seconds, outcome.waited);
  }
  const Quantiles ms = times.milliseconds();
  nlohmann::json result = work(trial.iteration().graph, trial.executable());
  result.update({{"ms", ms.median},
                 {"p10", ms.p10},
                 {"p90", ms.p90},
                 {"wait_share", times.input_wait_share()},
                 {"planned", trial.planned().total()},
                 {"peak", peak_resident()},
                 {"base", memory_base},
                 {"device", trial.platform().device.name},
                 {"library", trial.platform().device.library},
                 {"remark", trial.executable().remark()},
                 {"native", trial.platform().native()}});
  std::cout << result << '\n';
  if (request.profile) print_profile(trial.executable());
}

void take_turns(Trial& trial, std::int64_t iterations) {
  for (std::int64_t i = 0; i < IterationTimes::warmup; ++i) iterate(trial, true);
  std::cout << nlohmann::json{{"device", trial.platform().device.name}} << std::endl;
  for (double seconds = 0; std::cin >> seconds;) {
    std::vector<double> ms;
    for (double total = 0; total < 1e3 * seconds || std::ssize(ms) < iterations; total += ms.back())
      ms.push_back(1e3 * iterate(trial, true).seconds);
    std::cout << nlohmann::json(ms) << std::endl;
  }
}

void run(const Request& request) {
  const Registry registry = Registry::scan();
  const LoadedExperiment loaded = load_experiment(request.experiment, registry);
  begin_peak();
  Trial trial(loaded.trials.at(0), registry);
  request.turns ? take_turns(trial, request.iterations) : time_once(trial, request);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: iteration EXPERIMENT ITERATIONS [profile | turns] [KEY=VALUE]...\n";
    return 2;
  }
  choose_wait_policy();
  try {
    run(request_of(count, arguments));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
