// SPDX-License-Identifier: Apache-2.0
// Loss scalers, run on the reference backend, against the rules as their authors published them.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "experiment/diagnostics.hpp"
#include "scratch.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// A scaler alone: told what was found, it gives its next scale.
class Rule {
 public:
  explicit Rule(std::unique_ptr<LossScaler> scaler) : scaler_(std::move(scaler)) {
    const Value found{&graph_, graph_.input("found", DType::boolean, {})};
    scaler_->scale(graph_, "s");
    scaler_->update(graph_, "s", found);
    graph_.output("scale", scaler_->scale(graph_, "s"));
    session_ = backend_->open(0);
    step_ = session_->compile(graph_);
    for (const State& state : graph_.states()) session_->write_state(state.name, initial_value(state, 0));
  }
  double operator()(bool found) {
    const std::byte byte{found};
    step_->write("found", {&byte, 1});
    step_->run();
    return read_number(*step_, graph_, "scale");
  }

 private:
  Graph graph_;
  std::unique_ptr<LossScaler> scaler_;
  std::unique_ptr<Backend> backend_ = make<Backend>("reference");
  std::unique_ptr<Session> session_;
  std::unique_ptr<Executable> step_;
};

/// The trial of an experiment that extends this file of experiments/base, as written in `more`.
Experiment preset(const std::string& name, const std::string& more = {}) {
  const Scratch scratch;
  const std::string base = HALFLING_EXPERIMENTS "/base/";
  write_file(scratch / "a.toml", "extends = [\"" + base + "acgan.toml\", \"" + base + "scaler-" + name +
                                     ".toml\"]\nexperiment.name = \"a\"\nprecision.use = \"mixed\"\n"
                                     "dataset.use = \"synthetic\"\nbudget.iterations = 1\n" +
                                     more);
  return load_experiment({scratch / "a.toml", {}}, registry()).trials.front();
}

Rule rule_of(const Experiment& e) {
  return Rule(registry().create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options));
}

/// Runs of overflows between clean stretches; then clean until the scale is above 2^24 where it may be; then
/// overflows until it is at its floor, and clean again.
void check_follows(Rule rule, const std::function<double(bool)>& published) {
  for (int i = 0; i < 52500; ++i) {
    const bool now_and_then = i < 4 || i % 2500 == 2400 || i % 2500 == 2401 || i == 4100;
    const bool found = i < 9000 ? now_and_then : i >= 48000 && i < 48050;
    const double expected = published(found), got = rule(found);
    REQUIRE_MESSAGE(got == expected, "iteration ", i);
  }
}

}  // namespace

TEST_CASE("scaler-article: 128 for each operation, whatever is found") {
  const Experiment e = preset("article");
  CHECK(e.loss_scaler.scope == ScalerScope::operation);
  CHECK(!e.loss_scaler.skip_together);
  check_follows(rule_of(e), [](bool) { return 128; });
}

TEST_CASE("scaler-apex follows apex/amp/scaler.py") {
  const Experiment e = preset("apex");
  CHECK(e.loss_scaler.scope == ScalerScope::operation);
  CHECK(!e.loss_scaler.skip_together);
  check_follows(rule_of(e), [scale = 65536.0, unskipped = 0](bool has_overflow) mutable {
    if (has_overflow) {
      scale = std::max(1.0, scale / 2);  // Apex has no floor
      unskipped = 0;
    } else {
      ++unskipped;
    }
    if (unskipped == 2000) {
      scale = std::min(0x1p24, scale * 2);
      unskipped = 0;
    }
    return scale;
  });
}

TEST_CASE("scaler-pytorch follows torch/amp/grad_scaler.py") {
  const Experiment e = preset("pytorch");
  CHECK(e.loss_scaler.scope == ScalerScope::shared);
  CHECK(!e.loss_scaler.skip_together);
  check_follows(rule_of(e), [scale = 65536.0, tracker = 0](bool found_inf) mutable {
    if (found_inf) {
      scale = std::max(1.0, scale * 0.5);  // PyTorch has no floor
      tracker = 0;
    } else if (++tracker == 2000) {
      scale *= 2;
      tracker = 0;
    }
    return scale;
  });
}

TEST_CASE("scaler-keras follows LossScaleOptimizer") {
  const Experiment e = preset("keras");
  CHECK(e.loss_scaler.scope == ScalerScope::operation);
  CHECK(!e.loss_scaler.skip_together);
  check_follows(rule_of(e), [scale = 32768.0, counter = 0](bool found_inf) mutable {
    if (found_inf) {
      scale = std::max(scale / 2, 1.0);
      counter = 0;
    } else if (counter >= 2000 - 1) {
      scale *= 2;
      counter = 0;
    } else {
      ++counter;
    }
    return scale;
  });
}

TEST_CASE("log drifts up in steps of 0.0005 and falls by 1, as StyleGAN2's, within its limits") {
  Rule rule(make<LossScaler>("log"));
  double log2 = 16;
  for (int i = 0; i < 3000; ++i) {
    const bool found = i % 500 == 17;
    log2 += found ? -1 : 0.0005;
    REQUIRE(std::log2(rule(found)) == doctest::Approx(log2).epsilon(1e-4));
  }
  for (int i = 0; i < 40; ++i) rule(true);
  CHECK(rule(true) == 1);
  Rule up(make<LossScaler>("log", option("increment", 3.0)));
  for (int i = 0; i < 40; ++i) up(false);
  CHECK(up(false) == doctest::Approx(0x1p24));
}

TEST_CASE("settings that no scaler can work with are refused with what is allowed") {
  const auto refusal = [](const char* scaler, Options options) {
    return error_of([&] { make<LossScaler>(scaler, std::move(options)); });
  };
  CHECK(refusal("dynamic", option("growth", 1.0)).expected == "a number greater than 1");
  CHECK(refusal("dynamic", option("backoff", 1.0)).expected == "a number less than 1");
  CHECK(refusal("dynamic", option("minimum", 64.0, option("maximum", 32.0))).expected == "at most maximum");
  CHECK(refusal("log", option("minimum", 8.0, option("maximum", 4.0))).expected == "at most maximum");
  CHECK(refusal("log", option("initial", 25.0)).expected == "within minimum and maximum");
  CHECK(refusal("dynamic", option("initial", 2.0, option("minimum", 4.0))).expected ==
        "within minimum and maximum");
  CHECK_THROWS_WITH_AS(preset("article", "loss_scaler.scale = 0.5\n"),
                       doctest::Contains("expected: a number from 1 to"), DiagnosticsError);
}
