// SPDX-License-Identifier: Apache-2.0
// Updates, over several runs, so that what a run leaves behind is what the next one finds.
#include <fmt/format.h>

#include <limits>

#include "case.hpp"

namespace halfling::conformance {
namespace {

struct AdamCase {
  const char* name;
  Shape shape;
  bool skip;
  double inverse_scale;
  Fill gradient;
  bool copied = false;  ///< the new parameter is cast to the format under test and used
};

void build_adam(Builder& b, const AdamCase& c) {
  const Value p = b.state("p", b.wide(), c.shape, reals(-1, 1));
  const Value m = b.state("m", b.wide(), c.shape, reals(-0.1, 0.1));
  const Value v = b.state("v", b.wide(), c.shape, reals(0, 0.1));
  const Value skip = b.flag("skip", c.skip);
  const Value step = b.append(Op::count, {b.state("step", DType::i32, {}, list({4})), skip});
  const Value gradient = b.input("gradient", c.shape, c.gradient);
  const Value inverse_scale = b.input("inverse_scale", DType::f32, {}, list({c.inverse_scale}));
  const Value rate = b.input("learning_rate", b.wide(), {}, list({0.01}));
  const NodeId adam = b.graph.append(Op::adam, {p, m, v, step, gradient, inverse_scale, skip, rate},
                                     AdamAttributes{.beta1 = 0.5});
  const std::vector<ValueId> results = b.graph.node(adam).results;
  b.graph.assign("step", step);
  b.graph.assign("p", results[0]);
  b.graph.assign("m", results[1]);
  b.graph.assign("v", results[2]);
  if (!c.copied) return;
  const Value half = b.append(Op::cast, {results[0]}, CastAttributes{b.io()});
  b.output("copy", half);
  b.output("doubled", half + half);
}

/// A handful of roundings over three runs. A run changes p by 0.01 and more, so where p ends near zero the
/// rounding of what was subtracted remains. With skip set, nothing changes at all.
Case adam_case(const AdamCase& c) {
  return {.name = fmt::format("adam/{}", c.name),
          .build = [c](Builder& b) { build_adam(b, c); },
          .tolerance = c.skip ? Allowance{} : Allowance{.ulps = 6, .epsilons = 0.1},
          .runs = 3};
}

Case average_case(const char* name, double momentum, double correction, Fill batch, Allowance tolerance) {
  return {.name = fmt::format("moving_average/{}", name),
          .build =
              [=](Builder& b) {
                const Value running = b.state("running", b.wide(), {11}, integers(3));
                const Value value = b.input("batch", b.wide(), {11}, batch);
                b.graph.assign("running", b.append(Op::moving_average, {running, value},
                                                   MovingAverageAttributes{momentum, correction}));
              },
          .tolerance = tolerance,
          .runs = 2};
}

Case count_case(const char* name, bool skip) {
  return {.name = fmt::format("count/{}", name),
          .build =
              [skip](Builder& b) {
                const Value counter = b.state("counter", DType::i32, {}, list({41}));
                b.graph.assign("counter", b.append(Op::count, {counter, b.flag("skip", skip)}));
              },
          .formats = Formats::once,
          .runs = 3};
}

/// Beyond its end, too. The rate is computed in double and rounded once.
Case schedule_case(const char* name, const ScheduleAttributes& attributes) {
  return {
      .name = fmt::format("schedule/{}", name),
      .build =
          [attributes](Builder& b) {
            const Value skip = b.flag("skip", false);
            for (const int done : {0, 3, 9, 10, 14, 29, 30, 31, 1000}) {
              const std::string at = fmt::format("step{}", done);
              const Value step = b.append(Op::count, {b.state(at, DType::i32, {}, list({1.0 * done})), skip});
              b.graph.assign(at, step);
              b.output(at, b.append(Op::schedule, {step}, attributes));
            }
          },
      .tolerance = {.ulps = 1},
      .formats = Formats::once,
      .runs = 2};
}

std::vector<Case> schedule_cases() {
  using enum ScheduleAttributes::Kind;
  const auto with = [](ScheduleAttributes::Kind kind) {
    return ScheduleAttributes{.kind = kind,
                              .rate = 2e-4,
                              .warmup = 10,
                              .warmup_factor = 0.25,
                              .length = 20,
                              .end_factor = 0.01,
                              .every = 5,
                              .factor = 0.9};
  };
  ScheduleAttributes cold = with(cosine);
  cold.warmup = 0;
  return {schedule_case("constant", with(constant)), schedule_case("linear", with(linear)),
          schedule_case("cosine", with(cosine)), schedule_case("step", with(step)),
          schedule_case("no-warmup", cold)};
}

}  // namespace

std::vector<Case> update_cases() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Fill moderate = reals(-2, 2);
  const Fill overflowed = list({1, inf, nan, -inf});
  const Allowance two_roundings{.ulps = 2, .epsilons = 2};
  std::vector<Case> cases = {
      adam_case({"rows", {7, 13}, false, 1, moderate}),
      adam_case({"weights", {6, 5, 4, 4}, false, 1, moderate}),
      adam_case({"weights-blocked", {32, 16, 4, 4}, false, 1, moderate}),
      adam_case({"vector", {17}, false, 1, moderate}),
      adam_case({"scaled", {8, 16}, false, 1.0 / 1024, reals(-2000, 2000)}),
      adam_case({"skipped", {7, 13}, true, 1, moderate}),
      adam_case({"skipped-overflow", {9, 5}, true, 1, overflowed}),
      adam_case({"copied", {6, 5, 4, 4}, false, 1, moderate, true}),
      adam_case({"skipped-copied", {9, 5}, true, 1, moderate, true}),
      average_case("exact", 0.25, 2, integers(3), {}),
      average_case("seed", 0.1, 64.0 / 63, reals(-1, 1), two_roundings),
      average_case("overflow", 0.25, 2, list({1, nan, 2, inf, 3, -inf}), {}),
      count_case("counts", false),
      count_case("skips", true),
  };
  for (Case& schedule : schedule_cases()) cases.push_back(std::move(schedule));
  return cases;
}

}  // namespace halfling::conformance
