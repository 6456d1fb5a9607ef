// SPDX-License-Identifier: Apache-2.0
// A captured training run with an overflow in the middle, on the emulated GPU, beside backend `reference`.
#include "../../unit/training.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace halfling;
using namespace halfling::test;

constexpr int before = 5;  // two runs step by step, then captured ones
constexpr int after = 4;

Training make_training(const std::string& backend, const std::string& half, bool capture = true) {
  Setup setup;
  setup.backend = backend;
  if (backend != "reference") setup.backend_options = option("capture", capture);
  setup.policy =
      half == "fp32" ? make<PrecisionPolicy>("fp32") : make<PrecisionPolicy>("mixed", option("half", half));
  setup.scaler = make<LossScaler>("dynamic", option("initial", 1024.0));
  return Training(std::move(setup));
}

/// The scale of d is infinite for one iteration, so every gradient of it is.
void overflow(Training& training) {
  training.set_state("scaler.d.scale", std::numeric_limits<float>::infinity());
  training.step();
  training.set_state("scaler.d.scale", 1024);
}

/// The share of elements that are apart by more than a tenth of an update.
double share_apart(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  std::size_t apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 2e-5)) ++apart;
  return static_cast<double>(apart) / static_cast<double>(a.size());
}

/// Every iteration starts from the same states, so that roundings do not add up. `loss`: how far losses may
/// be apart; `apart`: the share of parameters and statistics that may be apart by more than a tenth of an
/// update, since Adam moves a parameter by about its learning rate whatever the size of the gradient, in the
/// direction that a rounding may decide. The loss of g comes after the update of d, and moves with it.
void compare(const std::string& half, double loss, double apart) {
  Training tested = make_training("cudnn-emulated", half), judge = make_training("reference", half);
  const auto step_both = [&] {
    tested.copy_states(judge);
    tested.step();
    judge.step();
    for (const char* name : {"loss.d", "loss.g", "loss.q"}) {
      CAPTURE(std::string(name));
      CHECK(tested.output(name) == doctest::Approx(judge.output(name)).epsilon(loss));
    }
    for (const char* name : {"scale.d", "scale.g", "scale.q", "updates.d", "found.d", "skipped_in_a_row.d"}) {
      CAPTURE(std::string(name));
      CHECK(tested.output(name) == judge.output(name));
    }
    for (const char* network : {"d.", "g.", "c."})
      CHECK(share_apart(tested.states_with_prefix(network), judge.states_with_prefix(network)) <= apart);
  };
  for (int i = 0; i < before; ++i) step_both();
  tested.copy_states(judge);
  const std::vector<double> moments = tested.states_with_prefix("optimizer.d.");
  REQUIRE(moments.size() > 100);
  const double found = judge.output("found.d");
  overflow(tested);
  overflow(judge);
  CHECK(judge.output("found.d") == found + 1);
  CHECK(tested.output("found.d") == found + 1);
  CHECK(tested.states_with_prefix("optimizer.d.") == moments);
  for (int i = 0; i < after; ++i) step_both();
}

}  // namespace

TEST_CASE("fp32") {
  compare("fp32", 1e-4, 0.05);
}
TEST_CASE("fp16") {
  compare("fp16", 5e-3, 0.05);
}
TEST_CASE("bf16") {
  compare("bf16", 3e-2, 0.2);
}

TEST_CASE("replayed runs are those step by step, bit for bit") {
  for (const char* half : {"fp32", "fp16", "bf16"}) {
    CAPTURE(half);
    Training replayed = make_training("cudnn-emulated", half, true);
    Training eager = make_training("cudnn-emulated", half, false);
    for (Training* training : {&replayed, &eager}) {
      training->step(before);
      overflow(*training);
      training->step(after);
    }
    for (const State& state : replayed.graph().states()) {
      CAPTURE(state.name);
      CHECK(replayed.state(state.name) == eager.state(state.name));
    }
  }
}
