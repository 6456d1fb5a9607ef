// SPDX-License-Identifier: Apache-2.0
// Learning rates against PyTorch's recursions, computed here in float64, and in the graph of an iteration.
#include "iteration/learning_rate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "halfling/schedule.hpp"
#include "scratch.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;
using Kind = ScheduleAttributes::Kind;

namespace {

/// torch.optim.lr_scheduler, one step after the other, as its get_lr computes them.
double next_linear(double rate, int epoch, double start, double end, int total) {  // LinearLR
  return epoch > total ? rate : rate * (1 + (end - start) / (total * start + (epoch - 1) * (end - start)));
}
double next_cosine(double rate, int epoch, double minimum, int period) {  // CosineAnnealingLR
  const double pi = std::numbers::pi;
  if (epoch > period) return rate;  // where PyTorch's goes up again
  return (1 + std::cos(pi * epoch / period)) / (1 + std::cos(pi * (epoch - 1) / period)) * (rate - minimum) +
         minimum;
}
double next_step(double rate, int epoch, int size, double gamma) {  // StepLR
  return epoch % size == 0 ? rate * gamma : rate;
}

constexpr double base_rate = 3e-3;

ScheduleAttributes schedule(Kind kind, std::int64_t warmup = 0) {
  return {.kind = kind,
          .rate = base_rate,
          .warmup = warmup,
          .warmup_factor = 0.25,
          .length = 20,
          .end_factor = 0.1,
          .every = 7,
          .factor = 0.5};
}

double next(Kind kind, double rate, int epoch) {
  if (kind == Kind::linear) return next_linear(rate, epoch, 1, 0.1, 20);
  if (kind == Kind::cosine) return next_cosine(rate, epoch, 0.1 * base_rate, 20);
  return kind == Kind::step ? next_step(rate, epoch, 7, 0.5) : rate;
}

/// A loss of which the gradient by w is 1, and that is infinite while x is.
class Slope : public LossesOnly {
 public:
  explicit Slope(const Rhythm& rhythm = {}) : rhythm_(rhythm) {}
  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    images_input(graph, spec);
    const auto scalar = [&](const char* name) {
      return state(graph, {.name = name, .dtype = DType::f32, .shape = {1}, .initial = {}, .role = {}});
    };
    phases[0].name = "only";
    phases[0].repeat = rhythm_.repeat;
    phases[0].every = rhythm_.every;
    phases[0].operations = {{"n", mean(scalar("n.w")) + mean(scalar("o.x")), {"n."}}};
    return phases;
  }

 private:
  Rhythm rhythm_;
};

ScheduleSettings settings(Kind kind) {
  return {.kind = kind,
          .warmup = TrainingLength{.iterations = 4},
          .warmup_factor = 0.25,
          .length = {.iterations = 24},
          .end_factor = 0.1,
          .every = {.iterations = 7},
          .factor = 0.5};
}

Setup setup(const std::string& backend, Kind kind, const char* policy, const char* optimizer = "sgd") {
  Setup result{.backend = backend,
               .architecture = std::make_unique<Slope>(),
               .policy = make<PrecisionPolicy>(policy),
               .scaler = make<LossScaler>("none"),
               .optimizer = make<Optimizer>(optimizer, option("learning_rate", base_rate))};
  result.schedule = settings(kind);
  return result;
}

double parameter(const Training& training) {
  return training.state("n.w").at(0);
}

}  // namespace

TEST_CASE("each kind is PyTorch's, also after a warm-up as SequentialLR puts them together") {
  for (const Kind kind : {Kind::constant, Kind::linear, Kind::cosine, Kind::step})
    for (const int warmup : {0, 10}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(warmup);
      double rate = warmup > 0 ? 0.25 * base_rate : base_rate;
      for (int update = 1; update <= 45; ++update) {
        CAPTURE(update);
        CHECK(scheduled_rate(schedule(kind, warmup), update) == doctest::Approx(rate).epsilon(1e-13));
        if (update < warmup)
          rate = next_linear(rate, update, 0.25, 1, warmup);
        else
          rate = update == warmup ? base_rate : next(kind, rate, update - warmup);
      }
    }
}

TEST_CASE("a warm-up may begin at 0, and a schedule may end there") {
  ScheduleAttributes cold = schedule(Kind::cosine, 4);
  cold.warmup_factor = cold.end_factor = 0;
  CHECK(scheduled_rate(cold, 0) == 0);
  CHECK(scheduled_rate(cold, 1) == 0);
  CHECK(scheduled_rate(cold, 3) == base_rate / 2);
  CHECK(scheduled_rate(cold, 5) == base_rate);
  CHECK(scheduled_rate(cold, 15) == doctest::Approx(base_rate / 2).epsilon(1e-15));
  CHECK(scheduled_rate(cold, 25) == 0);
  CHECK(scheduled_rate(cold, std::numeric_limits<std::int32_t>::max()) == 0);
}

TEST_CASE("lengths become updates") {
  const TrainingUnits units{.samples_per_iteration = 64, .iterations_per_epoch = 150, .iterations = 3000};
  ScheduleSettings s;
  s.kind = Kind::linear;
  s.warmup = TrainingLength{.samples = 6401};
  s.length = {.percent = 80};
  ScheduleAttributes a = schedule_in_updates(s, 1, units, "optimizer.schedule");
  CHECK(a.warmup == 101);
  CHECK(a.length == 2400 - 101);
  s.length = {.epochs = 1.5};
  CHECK(schedule_in_updates(s, 1, units, "").length == 225 - 101);
  ScheduleSettings steps;
  steps.kind = Kind::step;
  steps.every = {.epochs = 0.001};
  CHECK(schedule_in_updates(steps, 1, units, "").every == 1);
  s.length = {.iterations = 101};
  const ErrorDetails error = error_of([&] { schedule_in_updates(s, 1, units, "optimizer.schedule"); });
  CHECK(error.where == "optimizer.schedule.warmup");
  CHECK(error.got == "a warm-up of 101 iterations");
}

TEST_CASE("lengths are iterations, also of an operation that makes more or fewer updates than one in each") {
  ScheduleSettings s = settings(Kind::linear);
  const Rhythm thrice{.repeat = 3}, seldom{.every = 5};
  CHECK(schedule_in_updates(s, 1, {}, "", thrice).warmup == 12);
  CHECK(schedule_in_updates(s, 1, {}, "", thrice).length == 60);
  CHECK(schedule_in_updates(s, 1, {}, "", seldom).warmup == 1);
  CHECK(schedule_in_updates(s, 1, {}, "", seldom).length == 4);  // in iterations 0, 5, ... of 24
  s.kind = Kind::step;
  CHECK(schedule_in_updates(s, 1, {}, "", thrice).every == 21);
  CHECK(schedule_in_updates(s, 1, {}, "", seldom).every == 2);

  Setup repeated = setup("reference", Kind::linear, "fp64");
  repeated.architecture = std::make_unique<Slope>(thrice);
  Training training(std::move(repeated));
  training.fill("o.x", 0);
  ScheduleAttributes expected = schedule(Kind::linear, 12);
  expected.length = 60;
  double before = parameter(training);
  for (int update = 1; update <= 75; update += 3) {
    training.step();
    double rates = 0;
    for (int i = 0; i < 3; ++i) rates += scheduled_rate(expected, update + i);
    CHECK(before - parameter(training) == doctest::Approx(rates).epsilon(1e-12));
    before = parameter(training);
  }
}

TEST_CASE("an iteration updates by the rate of its schedule, which updates that are skipped do not advance") {
  for (const std::string& backend : backends())
    for (const Kind kind : {Kind::constant, Kind::linear, Kind::cosine, Kind::step}) {
      CAPTURE(backend);
      CAPTURE(static_cast<int>(kind));
      const bool exact = backend == "reference";
      Training training(setup(backend, kind, exact ? "fp64" : "fp32"));
      ScheduleAttributes expected = schedule(kind, 4);
      const auto set_loss = [&](double x) { training.fill("o.x", x); };
      set_loss(0);
      training.fill("n.w", 0);
      double before = 0;
      for (int update = 1; update <= 30; ++update) {
        if (update % 5 == 2) {  // two iterations without an update
          set_loss(std::numeric_limits<double>::infinity());
          training.step(2);
          CHECK(parameter(training) == before);
          set_loss(0);
        }
        training.step();
        CHECK(training.output("updates.n") == update);
        const double moved = before - parameter(training);
        CHECK(moved == doctest::Approx(scheduled_rate(expected, update)).epsilon(exact ? 1e-12 : 1e-4));
        before = parameter(training);
      }
    }
}

TEST_CASE("Adam moves by the scheduled rate, too") {
  Training training(setup("reference", Kind::cosine, "fp64", "adam"));
  training.fill("o.x", 0);
  double before = parameter(training);
  for (int update = 1; update <= 30; ++update) {  // of a constant gradient 1 the step is the rate
    training.step();
    const double rate = scheduled_rate(schedule(Kind::cosine, 4), update);
    CHECK(before - parameter(training) == doctest::Approx(rate).epsilon(1e-7));
    before = parameter(training);
  }
}

TEST_CASE("a schedule adds no state, and without one the rate is a constant") {
  const Training plain(setup("reference", Kind::constant, "fp32")),
      scheduled(setup("reference", Kind::step, "fp32"));
  REQUIRE(plain.graph().states().size() == scheduled.graph().states().size());
  ScheduleSettings none;
  CHECK_FALSE(none.active());
  const auto count = [](const Graph& graph) {
    return std::ranges::count(graph.nodes(), Op::schedule, &Node::op);
  };
  CHECK(count(scheduled.graph()) == 1);
  CHECK(count(plain.graph()) == 1);  // it has a warm-up
  Setup without = setup("reference", Kind::constant, "fp32");
  without.schedule = none;
  CHECK(count(Training(std::move(without)).graph()) == 0);
}

TEST_CASE("a training that goes on from another's states goes on with its rates, bit for bit") {
  for (const std::string& backend : backends()) {
    Training whole(setup(backend, Kind::cosine, "fp32", "adam"));
    Training half(setup(backend, Kind::cosine, "fp32", "adam"));
    whole.step(11);
    half.copy_states(whole);
    whole.step(9);
    half.step(9);
    CHECK(whole.states_with_prefix("") == half.states_with_prefix(""));
  }
}
