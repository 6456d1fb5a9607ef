// SPDX-License-Identifier: Apache-2.0
// Four iterations of a narrow AC-GAN against values that PyTorch computed in float64
// (tests/data/acgan28.safetensors): losses, every gradient of the first iteration, every parameter and
// running statistic after the last, and the images that G then makes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "experiment/experiment.hpp"
#include "halfling/backend.hpp"
#include "iteration/iteration.hpp"
#include "plugin/registry.hpp"
#include "run/safetensors.hpp"

using namespace halfling;

namespace {

const BatchSpec spec{16, {1, 28, 28}, 10};
constexpr int iterations = 4;
constexpr double beta1 = 0.5;

/// How far a backend in a precision may be from the file.
struct Tolerance {
  double loss;       ///< relative
  double gradient;   ///< relative to the tensor's largest element
  double parameter;  ///< absolute
  double sample;     ///< absolute
};

template <class To, class From>
std::vector<To> convert(std::span<const std::byte> bytes) {
  std::vector<From> from(bytes.size() / sizeof(From));
  std::memcpy(from.data(), bytes.data(), bytes.size());
  return {from.begin(), from.end()};
}

std::vector<double> doubles(DType type, std::span<const std::byte> bytes) {
  return type == DType::f64 ? convert<double, double>(bytes) : convert<double, float>(bytes);
}

/// A tensor of the file in the format that a state or an input needs.
std::vector<std::byte> tensor(const SafetensorsFile& file, const std::string& name, DType wanted) {
  const auto bytes = file.bytes(name);
  const auto pack = [](const auto& values) {
    const auto view = std::as_bytes(std::span(values));
    return std::vector<std::byte>(view.begin(), view.end());
  };
  if (file.info(name).type == StoredType::i64) return pack(convert<std::int32_t, std::int64_t>(bytes));
  if (wanted == DType::f64) return pack(convert<double, float>(bytes));
  return pack(convert<float, float>(bytes));
}

class Trajectory {
 public:
  Trajectory(const char* backend, const char* precision) : registry_(Registry::scan()) {
    acgan_ = registry_.create<Architecture>("acgan", acgan_options());
    policy_ = registry_.create<PrecisionPolicy>(precision, {});
    scaler_ = registry_.create<LossScaler>("none", {});
    adam_ = registry_.create<Optimizer>("adam", adam_options());
    const PluginDescriptor& descriptor = *registry_.get("backend", backend).descriptor;
    backend_ = registry_.create<Backend>(backend, backend_options(Experiment{}, descriptor));
    session_ = backend_->open(0);
    iteration_ = build_iteration({.architecture = acgan_.get(),
                                  .policy = policy_.get(),
                                  .scaler = scaler_.get(),
                                  .scope = ScalerScope::operation,
                                  .optimizers = {},
                                  .optimizer = adam_.get(),
                                  .spec = spec,
                                  .given_noise = true,
                                  .given_float_images = true});
    step_ = session_->compile(iteration_.graph);
    for (const State& state : iteration_.graph.states()) session_->write_state(state.name, initial(state));
  }

  void run(const Tolerance& tolerance) {
    for (int i = 0; i < iterations; ++i) {
      for (const Port& port : iteration_.graph.inputs())
        step_->write(port.name, tensor(file_, fmt::format("iter{}/{}", i, port.name), DType::f32));
      step_->run();
      check_losses(i, tolerance.loss);
      if (i == 0) check_gradients(tolerance.gradient);
    }
    check_parameters(tolerance.parameter);
    check_samples(tolerance.sample);
  }

 private:
  static Options acgan_options() {
    Options o;
    for (const auto& [name, value] : {std::pair<const char*, std::int64_t>{"z_dim", 12},
                                      {"fc_width", 32},
                                      {"first_channels", 8},
                                      {"second_channels", 16},
                                      {"classifier_width", 16}})
      o.set(name, value);
    for (const auto& [name, value] : {std::pair<const char*, double>{"leaky_slope", 0.2},
                                      {"batch_norm_epsilon", 1e-5},
                                      {"batch_norm_momentum", 0.1},
                                      {"init_deviation", 0.02}})
      o.set(name, value);
    return o;
  }

  static Options adam_options() {
    Options o;
    for (const auto& [name, value] : {std::pair<const char*, double>{"learning_rate", 2e-4},
                                      {"beta1", beta1},
                                      {"beta2", 0.999},
                                      {"epsilon", 1e-8}})
      o.set(name, value);
    return o;
  }

  std::vector<std::byte> initial(const State& state) const {
    if (const std::string name = "init/" + state.name; file_.contains(name))
      return tensor(file_, name, state.dtype);
    const auto count = static_cast<std::size_t>(state.shape.elements());
    if (!state.name.ends_with("running_var")) return std::vector<std::byte>(count * size_of(state.dtype));
    const std::vector<double> ones(count, 1.0);
    const std::vector<float> narrow(count, 1.0f);
    const auto bytes =
        state.dtype == DType::f64 ? std::as_bytes(std::span(ones)) : std::as_bytes(std::span(narrow));
    return {bytes.begin(), bytes.end()};
  }

  std::vector<double> state_values(const std::string& name) const {
    const State* state = iteration_.graph.find_state(name);
    REQUIRE_MESSAGE(state != nullptr, name);
    std::vector<std::byte> bytes(static_cast<std::size_t>(state->shape.elements()) * size_of(state->dtype));
    session_->read_state(name, bytes);
    return doubles(state->dtype, bytes);
  }

  void check_losses(int i, double tolerance) {
    for (const std::string& operation : iteration_.operations) {
      const std::string output = "loss." + operation;
      const Port& port = *std::ranges::find(iteration_.graph.outputs(), output, &Port::name);
      const DType type = iteration_.graph.value(port.value).dtype;
      std::vector<std::byte> bytes(size_of(type));
      step_->read(output, bytes);
      const double expected =
          doubles(DType::f64, file_.bytes(fmt::format("iter{}/{}_loss", i, operation)))[0];
      CHECK_MESSAGE(doubles(type, bytes)[0] == doctest::Approx(expected).epsilon(tolerance), operation, " ",
                    i);
    }
  }

  /// After one update Adam's first moment is (1 - beta1) times the gradient.
  void check_gradients(double tolerance) {
    int found = 0;
    for (const TensorInfo& info : file_.tensors()) {
      if (!info.name.starts_with("iter0/grad_")) continue;
      const std::string operation = info.name.substr(11, 1), parameter = info.name.substr(13);
      const auto expected = doubles(DType::f32, file_.bytes(info.name));
      const auto moment = state_values(fmt::format("optimizer.{}.{}.m", operation, parameter));
      double largest = 0, worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        worst = std::max(worst, std::abs(moment[i] / (1 - beta1) - expected[i]));
      }
      // A bias before batch norm has no gradient but for the rounding of a sum whose terms are about 0.1.
      const double scale = largest < 1e-9 ? 0.1 : largest;
      CHECK_MESSAGE(worst <= tolerance * scale, info.name, " is off by ", worst, " of ", largest);
      ++found;
    }
    CHECK(found == 12 + 14 + 30);
    CHECK(iteration_.graph.find_state("optimizer.q.d.fc4.weight.m") == nullptr);
  }

  void check_parameters(double tolerance) {
    int found = 0;
    for (const TensorInfo& info : file_.tensors()) {
      if (!info.name.starts_with("final/") || info.name == "final/samples") continue;
      const auto expected = doubles(DType::f64, file_.bytes(info.name)),
                 got = state_values(info.name.substr(6));
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(got[i] - expected[i]));
      CHECK_MESSAGE(worst <= tolerance, info.name, " is off by ", worst);
      ++found;
    }
    CHECK(found == 44);
  }

  void check_samples(double tolerance) {
    const Graph graph = build_sampling(*acgan_, *policy_, spec);
    const auto sampler = session_->compile(graph);
    for (const Port& port : graph.inputs())
      sampler->write(port.name,
                     tensor(file_, fmt::format("iter{}/{}", iterations - 1, port.name), DType::f32));
    sampler->run();
    const DType type = graph.value(graph.outputs()[0].value).dtype;
    std::vector<std::byte> bytes(16 * 28 * 28 * size_of(type));
    sampler->read("samples", bytes);
    const auto got = doubles(type, bytes), expected = doubles(DType::f32, file_.bytes("final/samples"));
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[i]));
    CHECK_MESSAGE(worst <= tolerance, "samples are off by ", worst);
  }

  SafetensorsFile file_{HALFLING_TEST_DATA "/acgan28.safetensors"};
  Registry registry_;
  std::unique_ptr<Architecture> acgan_;
  std::unique_ptr<PrecisionPolicy> policy_;
  std::unique_ptr<LossScaler> scaler_;
  std::unique_ptr<Optimizer> adam_;
  std::unique_ptr<Backend> backend_;
  IterationGraph iteration_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Executable> step_;
};

}  // namespace

TEST_CASE("reference fp64") {
  Trajectory("reference", "fp64").run({1e-6, 1e-6, 1e-6, 1e-6});
}

// In float32 losses agree to about 1e-5. Adam's first steps divide by tiny numbers, so a parameter whose
// gradient is nearly zero (a bias before batch norm) may move by up to 2 learning rates an iteration in
// either direction.
TEST_CASE("reference fp32") {
  Trajectory("reference", "fp32").run({2e-5, 1e-4, 2 * iterations * 4e-4, 1e-3});
}
TEST_CASE("cpu fp32") {
  Trajectory("cpu", "fp32").run({2e-5, 2e-4, 2 * iterations * 4e-4, 1e-3});
}
TEST_CASE("cudnn fp32") {
  Trajectory("cudnn", "fp32").run({2e-5, 2e-4, 2 * iterations * 4e-4, 1e-3});
}
TEST_CASE("emulated cudnn fp32") {
  Trajectory("cudnn-emulated", "fp32").run({2e-5, 2e-4, 2 * iterations * 4e-4, 1e-3});
}
