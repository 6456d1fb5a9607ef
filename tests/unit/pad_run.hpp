// SPDX-License-Identifier: Apache-2.0
// A graph and its padded form, side by side on the reference backend.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cudnn/pad.hpp"
#include "halfling/random.hpp"
#include "training.hpp"

namespace halfling::test {

using Bytes = std::vector<std::byte>;
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline Bytes bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::size_t byte_size(DType dtype, const Shape& shape) {
  return static_cast<std::size_t>(shape.elements()) * size_of(dtype);
}

/// Elements in (-2, 2), in u8 and i32 whole ones from 0 to 2; the same for the same name and turn.
inline Bytes drawn(const std::string& name, DType dtype, const Shape& shape, std::uint32_t turn) {
  Bytes bytes(byte_size(dtype, shape));
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.elements()); ++i) {
    const std::uint32_t word = random_word({547, turn, 0, 0}, stream_of(name), static_cast<std::uint32_t>(i));
    const double number = is_float(dtype) ? static_cast<float>(unit_uniform(word) * 4 - 2) : word % 3;
    with_storage(dtype, [&]<class Storage>(Storage) {
      const auto element = Storage::element(number);
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    });
  }
  return bytes;
}

/// Where a graph runs: its states in the layouts given, or as they are.
class Side {
 public:
  Side(Session& session, const Graph& graph, std::vector<cudnn::StateLayout> layouts)
      : session_(session), graph_(graph), layouts_(std::move(layouts)), step_(session.compile(graph)) {}

  void write_state(const std::string& name, const Bytes& logical) {
    const cudnn::StateLayout& layout = layout_of(name);
    Bytes padded(byte_size(layout.dtype, layout.padded));
    cudnn::pad_state(layout, logical, padded);
    session_.write_state(name, padded);
  }
  std::vector<double> padded_state(const std::string& name) const {
    return to_numbers(padded_bytes(name), layout_of(name).dtype);
  }
  std::vector<double> state(const std::string& name) const {
    return to_numbers(unpadded(name), layout_of(name).dtype);
  }
  /// How many elements of a state are padding, and not zero.
  std::ptrdiff_t dirt(const std::string& name) const {
    const auto nonzero = [](const std::vector<double>& v) {
      return std::ranges::count_if(v, [](double x) { return x != 0; });
    };
    return nonzero(padded_state(name)) - nonzero(state(name));
  }
  void write(const std::string& input, const Bytes& bytes) { step_->write(input, bytes); }
  void run() { step_->run(); }
  std::vector<double> output(const std::string& name) { return read_numbers(*step_, graph_, name); }

 private:
  const cudnn::StateLayout& layout_of(const std::string& name) const {
    return *std::ranges::find(layouts_, name, &cudnn::StateLayout::name);
  }
  Bytes padded_bytes(const std::string& name) const {
    Bytes bytes(byte_size(layout_of(name).dtype, layout_of(name).padded));
    session_.read_state(name, bytes);
    return bytes;
  }
  Bytes unpadded(const std::string& name) const {
    Bytes bytes(byte_size(layout_of(name).dtype, layout_of(name).logical));
    cudnn::unpad_state(layout_of(name), padded_bytes(name), bytes);
    return bytes;
  }

  Session& session_;
  const Graph& graph_;
  std::vector<cudnn::StateLayout> layouts_;
  std::unique_ptr<Executable> step_;
};

inline std::vector<cudnn::StateLayout> plain_layouts(const Graph& graph) {
  std::vector<cudnn::StateLayout> layouts;
  for (const State& state : graph.states())
    layouts.push_back({state.name, state.dtype, state.shape, state.shape});
  return layouts;
}

/// Elements that differ; two NaNs are equal.
inline int differences(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    count += !(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
  return count;
}

class Pair {
 public:
  explicit Pair(const Graph& graph, std::span<const cudnn::StateLayout> known = {})
      : original_(graph),
        padded_(cudnn::pad(graph, known)),
        plain_(*plain_session_, original_, plain_layouts(graph)),
        wide_(*wide_session_, padded_.graph, padded_.states) {
    verify(padded_.graph);
    for (const State& state : graph.states()) write_state(state.name, initial_value(state, 5));
  }

  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  const cudnn::PaddedGraph& padded() const { return padded_; }
  void write_state(const std::string& name, const Bytes& bytes) {
    plain_.write_state(name, bytes);
    wide_.write_state(name, bytes);
  }
  void write(const std::string& input, const Bytes& bytes) {
    plain_.write(input, bytes);
    wide_.write(input, bytes);
  }
  void draw_inputs(std::uint32_t turn) {
    for (const Port& port : original_.inputs()) {
      const ValueInfo& info = original_.value(port.value);
      write(port.name, drawn(port.name, info.dtype, info.shape, turn));
    }
  }

  /// Runs both; what they leave must be the same, and padding zero.
  void run() {
    plain_.run();
    wide_.run();
    for (const Port& port : original_.outputs()) {
      const int wrong = differences(plain_.output(port.name), wide_.output(port.name));
      CHECK_MESSAGE(wrong == 0, wrong, " elements of output ", port.name);
    }
    for (const State& state : original_.states()) {
      const int wrong = differences(plain_.state(state.name), wide_.state(state.name));
      CHECK_MESSAGE(wrong == 0, wrong, " elements of state ", state.name);
      CHECK_MESSAGE(wide_.dirt(state.name) == 0, "padding of state ", state.name);
    }
  }
  double output(const std::string& name) { return plain_.output(name).at(0); }

 private:
  Graph original_;
  cudnn::PaddedGraph padded_;
  std::unique_ptr<Backend> backend_ = make<Backend>("reference");
  std::unique_ptr<Session> plain_session_ = backend_->open(0), wide_session_ = backend_->open(0);
  Side plain_, wide_;
};

/// The first contraction that has an extent that should be a multiple of 8 and is none, or "".
inline std::string odd_contraction(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (class_of(node.op) != OpClass::contraction) continue;
    std::vector<ValueId> values = node.operands;
    values.push_back(node.results[0]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Shape& shape = graph.value(values[i]).shape;
      const bool weight = node.op == Op::conv2d_weight_gradient ? i == 2 : i == 1;
      const bool odd = shape[1] % 8 != 0 || (shape.rank() == 4 && weight && shape[0] % 8 != 0);
      if (odd) return graph.describe(node.results[0]);
    }
  }
  return "";
}

/// How often a value is extended by zeros.
inline int pads_in(const Graph& graph) {
  int count = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::concat) continue;
    const Node& last = graph.node(graph.value(node.operands.back()).producer);
    count += last.op == Op::constant && std::get<ConstantAttributes>(last.attributes).value == 0;
  }
  return count;
}

}  // namespace halfling::test
