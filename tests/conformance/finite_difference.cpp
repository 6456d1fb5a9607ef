// SPDX-License-Identifier: Apache-2.0
#include "finite_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner.hpp"

namespace halfling::conformance {
namespace {

/// The error of the central difference is h^2 f'''/6, its rounding 1e-16 L / h: with these, both below 1e-8
/// for values and derivatives of a moderate size.
constexpr double step = 1e-4;
constexpr double tolerance = 1e-6;
constexpr std::size_t most_elements = 6;  // of one input; spread over it

class Check {
 public:
  explicit Check(Program& program) : program_(program), inputs_(program.builder().inputs()) {}

  std::string all() {
    for (const Differentiation& differentiation : program_.builder().differentiations())
      for (const auto& [output, input] : differentiation.gradients)
        if (std::string wrong = compare(differentiation, output, input); !wrong.empty()) return wrong;
    return {};
  }

 private:
  std::string compare(const Differentiation& differentiation, const std::string& output,
                      const std::string& input) {
    program_.executable().run();
    const HostValue gradient = read(output);
    const std::size_t stride = gradient.size() / most_elements + 1;
    for (std::size_t i = 0; i < gradient.size(); i += stride) {
      const double difference = central_difference(differentiation, input, i);
      if (std::abs(gradient.at(i) - difference) > tolerance * std::max(1.0, std::abs(difference)))
        return fmt::format("\n  {} at {}: got {}, the central difference is {}", output, i, gradient.at(i),
                           difference);
    }
    return {};
  }

  double central_difference(const Differentiation& differentiation, const std::string& input,
                            std::size_t index) {
    HostValue moved = inputs_.at(input);
    const double centre = moved.at(index);
    const auto loss_at = [&](double x) {
      moved.set(index, x);
      program_.executable().write(input, moved.bytes);
      program_.executable().run();
      return loss(differentiation, input, moved);
    };
    const double difference = (loss_at(centre + step) - loss_at(centre - step)) / (2 * step);
    program_.executable().write(input, inputs_.at(input).bytes);
    return difference;
  }

  /// sum_i <losses[i], seeds[i]>, with the moved input where it is a seed itself.
  double loss(const Differentiation& differentiation, const std::string& input, const HostValue& moved) {
    double total = 0;
    for (const auto& [output, seed] : differentiation.losses) {
      const HostValue value = read(output);
      const HostValue& weights = seed == input ? moved : inputs_.at(seed);
      for (std::size_t i = 0; i < value.size(); ++i) total += value.at(i) * weights.at(i);
    }
    return total;
  }

  HostValue read(const std::string& output) {
    const Graph& graph = program_.builder().graph;
    const ValueId id = std::ranges::find(graph.outputs(), output, &Port::name)->value;
    return read_guarded(graph.value(id), output,
                        [&](std::span<std::byte> bytes) { program_.executable().read(output, bytes); });
  }

  Program& program_;
  const std::map<std::string, HostValue>& inputs_;
};

}  // namespace

std::string check_gradients(Backend& backend, const Case& the_case) {
  Program program(backend, the_case, Program::smooth_settings(the_case));
  program.run();
  return Check(program).all();
}

}  // namespace halfling::conformance
