// SPDX-License-Identifier: Apache-2.0
// An iteration that a test can run step by step on a backend, with its states open to reading and writing.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>

#include "halfling/backend.hpp"
#include "iteration/batch_inputs.hpp"
#include "iteration/host_value.hpp"
#include "iteration/initial_state.hpp"
#include "iteration/iteration.hpp"
#include "plugin_options.hpp"
#include "train/nonfinite.hpp"

namespace halfling::test {

inline const Registry& registry() {
  static const Registry registry = Registry::scan();
  return registry;
}

template <class T>
std::unique_ptr<T> make(std::string_view name, Options given = {}) {
  return registry().create<T>(name, plugin_options(registry(), T::kind, name, std::move(given)));
}

inline Options option(const char* name, OptionValue value, Options others = {}) {
  others.set(name, std::move(value));
  return others;
}

/// An architecture for tests of training: no noise, and its samples are the images that it is given.
class LossesOnly : public Architecture {
 public:
  std::vector<Noise> noises() const override { return {}; }
  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    graph.output("samples", images_input(graph, spec));
    return graph;
  }
};

/// The backends of this build that run anywhere.
inline std::vector<std::string> backends() {
  std::vector<std::string> names{"reference"};
  if (registry().find("backend", "cpu") != nullptr) names.push_back("cpu");
  return names;
}

/// An AC-GAN on 8x8 images whose widest layer has 16 features.
inline std::unique_ptr<Architecture> small_acgan() {
  Options options;
  for (const char* name : {"z_dim", "first_channels"}) options.set(name, std::int64_t{4});
  for (const char* name : {"second_channels", "classifier_width"}) options.set(name, std::int64_t{8});
  options.set("fc_width", std::int64_t{16});
  return make<Architecture>("acgan", std::move(options));
}

struct Setup {
  std::string backend = "reference";
  Options backend_options = {};
  std::unique_ptr<Architecture> architecture = small_acgan();
  std::unique_ptr<PrecisionPolicy> policy =
      make<PrecisionPolicy>("mixed", option("half", std::string("fp16")));
  std::unique_ptr<LossScaler> scaler = make<LossScaler>("dynamic", option("initial", 1.0));
  std::unique_ptr<Optimizer> optimizer = make<Optimizer>("adam");
  ScalerScope scope = ScalerScope::operation;
  bool skip_together = false;
  AverageSettings average = {};
  std::size_t variant = 0;
  ScheduleSettings schedule = {};
};

class Training {
 public:
  explicit Training(Setup setup) : setup_(std::move(setup)) {
    iteration_ = build_iteration({.architecture = setup_.architecture.get(),
                                  .policy = setup_.policy.get(),
                                  .scaler = setup_.scaler.get(),
                                  .scope = setup_.scope,
                                  .skip_together = setup_.skip_together,
                                  .optimizers = {},
                                  .optimizer = setup_.optimizer.get(),
                                  .schedule = setup_.schedule,
                                  .average = setup_.average,
                                  .spec = {8, {1, 8, 8}, 3},
                                  .variant = setup_.variant});
    backend_ = make<Backend>(setup_.backend, setup_.backend_options);
    session_ = backend_->open(0);
    step_ = session_->compile(iteration_.graph);
    for (const State& state : iteration_.graph.states())
      session_->write_state(state.name, initial_value(state, 5));
    for (std::size_t i = 0; i < images_.size(); ++i) images_[i] = static_cast<std::uint8_t>(i * i * 31 % 256);
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<std::int32_t>(i % 3);
    for (std::int64_t batch = 0; batch < iteration_.batches; ++batch) {
      const std::vector<std::uint8_t> pixels = images(batch);
      step_->write(batch_input("images", batch), std::as_bytes(std::span(pixels)));
      step_->write(batch_input("labels", batch), std::as_bytes(std::span(labels_)));
    }
  }

  const Graph& graph() const { return iteration_.graph; }
  /// Of the first batch, and of the others, which are paler.
  std::vector<std::uint8_t> images(std::int64_t batch = 0) const {
    std::vector<std::uint8_t> pixels = images_;
    for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(pixel >> batch);
    return pixels;
  }
  void step(int times = 1) {
    for (int i = 0; i < times; ++i) step_->run();
  }
  double output(const std::string& name) { return read_number(*step_, iteration_.graph, name); }

  std::vector<double> state(const std::string& name) const {
    const State& info = find(name);
    std::vector<std::byte> bytes(static_cast<std::size_t>(info.shape.elements()) * size_of(info.dtype));
    session_->read_state(name, bytes);
    return to_numbers(bytes, info.dtype);
  }
  /// Every element of an f32 state.
  void set_state(const std::string& name, float value) {
    const auto count = static_cast<std::size_t>(find(name).shape.elements());
    const std::vector<float> values(count, value);
    session_->write_state(name, std::as_bytes(std::span(values)));
  }
  /// All elements of an f32 or f64 state.
  void write(const std::string& name, const std::vector<double>& values) {
    if (find(name).dtype == DType::f64) return session_->write_state(name, std::as_bytes(std::span(values)));
    const std::vector<float> single(values.begin(), values.end());
    session_->write_state(name, std::as_bytes(std::span(single)));
  }
  void fill(const std::string& name, double value) {
    write(name, std::vector<double>(static_cast<std::size_t>(find(name).shape.elements()), value));
  }
  /// Takes over all states of another training of the same iteration.
  void copy_states(const Training& other) {
    for (const State& info : iteration_.graph.states()) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(info.shape.elements()) * size_of(info.dtype));
      other.session_->read_state(info.name, bytes);
      session_->write_state(info.name, bytes);
    }
  }
  /// All parameters and optimizer states, in order, of an operation or of a network.
  std::vector<double> states_with_prefix(const std::string& prefix, const std::string& suffix = "") const {
    std::vector<double> all;
    for (const State& info : iteration_.graph.states())
      if (info.name.starts_with(prefix) && info.name.ends_with(suffix)) {
        const std::vector<double> values = state(info.name);
        all.insert(all.end(), values.begin(), values.end());
      }
    return all;
  }
  std::optional<Nonfinite> first_nonfinite() {
    return halfling::first_nonfinite(iteration_, *session_, {images_, labels_});
  }

 private:
  const State& find(const std::string& name) const {
    const State* state = iteration_.graph.find_state(name);
    if (state == nullptr) throw std::logic_error("the iteration has no state " + name);
    return *state;
  }

  Setup setup_;
  IterationGraph iteration_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Executable> step_;
  std::vector<std::uint8_t> images_ = std::vector<std::uint8_t>(8 * 64);
  std::vector<std::int32_t> labels_ = std::vector<std::int32_t>(8);
};

}  // namespace halfling::test
