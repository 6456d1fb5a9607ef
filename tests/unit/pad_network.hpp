// SPDX-License-Identifier: Apache-2.0
// Networks drawn by chance, with channels that are no multiples of 8, and all ops that may meet padding.
#pragma once

#include <fmt/format.h>

#include "halfling/architecture.hpp"
#include "halfling/random.hpp"

namespace halfling::test {

class RandomNetwork : public Architecture {
 public:
  explicit RandomNetwork(std::uint32_t seed) : seed_(seed) {}

  std::vector<Noise> noises() const override { return {}; }
  std::vector<Phase> training(const BatchSpec& spec) const override {
    Phase phase{"all", {}, {}};
    drawn_ = 0;
    names_ = 0;
    Value h = images_input(phase.graph, spec);
    h = convolution(h);
    for (int i = 3 + below(4); i > 0; --i) h = below(3) == 0 ? convolution(h) : step(h);
    const std::int64_t features = h.shape().elements() / spec.batch;
    h = below(2) == 0 ? reshape(h, {spec.batch, features}) : pooled(h);
    h = linear(h);
    for (int i = 2 + below(4); i > 0; --i) h = below(3) == 0 ? linear(h) : step(h);
    phase.operations = {{"all", loss(h, labels_input(phase.graph, spec), spec.classes), {""}}};
    return {std::move(phase)};
  }
  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    graph.output("samples", images_input(graph, spec));
    return graph;
  }

 private:
  int below(int n) const {
    return static_cast<int>(random_word({93, seed_, 0, 0}, 1, drawn_++) % static_cast<unsigned>(n));
  }
  std::string name() const { return fmt::format("p{}", names_++); }
  std::int64_t width() const { return 1 + below(13); }

  Value convolution(Value x) const {
    const Initial normal{Initial::Kind::normal, 0.2};
    const int kind = below(3);
    const std::int64_t out = width();
    if (kind == 0 && x.shape()[2] < 12) return nn::conv2d_transpose(x, name(), out, 4, 2, 1, normal);
    if (kind == 1) return nn::conv2d(x, name(), out, 1, 1, 0, normal);
    return nn::conv2d(x, name(), out, 3, 1, 1, normal);
  }

  Value linear(Value x) const {
    if (below(2) == 0) return nn::linear(x, name(), width());
    const Initial normal{Initial::Kind::normal, 0.3};
    return matmul(x, nn::parameter(*x.graph, name(), {x.shape()[1], width()}, normal));
  }

  /// The sum over the image: [N,C,H,W] to [N,C].
  static Value pooled(Value x) { return reshape(sum(x, 0b1100), {x.shape()[0], x.shape()[1]}); }

  Value vector(Value x, bool scalar) const {
    const std::int64_t extent = scalar ? 1 : x.shape()[1];
    const Value p = nn::parameter(*x.graph, name(), {extent}, {Initial::Kind::uniform, 1.5});
    return reshape(p, x.shape().rank() == 2 ? Shape{1, extent} : Shape{1, extent, 1, 1});
  }

  Value step(Value x) const {
    switch (below(5)) {
      case 0:
        return x.shape().elements() > x.shape()[1] ? nn::batch_norm(x, name(), {}, nn::Mode::training)
                                                   : relu(x);
      case 1:
      case 2:
        return activation(x);
      case 3:
        return combination(x);
      default:
        return moved(x);
    }
  }

  Value activation(Value x) const {
    switch (below(9)) {
      case 0:
        return tanh(x);
      case 1:
        return sigmoid(x);
      case 2:
        return minimum(x, broadcast(vector(x, below(2) == 0), x.shape()));
      case 3:
        return select(less(detach(x), constant(*x.graph, 0, x.shape(), x.dtype())), 0.5 * x, x);
      case 4:
        return sqrt(x * x + 0.25) + detach(sqrt(relu(x)));
      case 5:
        return log(exp(tanh(x)) + 1.0);
      case 6:
        return 0.5 * x + 0.25;
      default:
        return leaky_relu(x, 0.2);
    }
  }

  Value combination(Value x) const {
    const bool scalar = below(2) == 0;
    switch (below(6)) {
      case 0:
        return x + vector(x, scalar);
      case 1:
        return x * vector(x, scalar);
      case 2:
        return x - 0.5 * leaky_relu(x, 0.1);
      case 3:
        return x * x;
      case 4:  // one of the operands has been moved
        return x + moved_back(x);
      default:
        return x / (vector(x, scalar) * vector(x, true) + 4.0);
    }
  }

  /// Through ops that need the channels as they are.
  static Value moved_back(Value x) {
    const Shape shape = x.shape();
    return reshape(reshape(x, {shape.elements()}), shape);
  }

  Value moved(Value x) const {
    const Shape shape = x.shape();
    switch (below(5)) {
      case 0:
        return concat({x, leaky_relu(x, 0.3)}, 1);
      case 1:
        return slice(x, 1, shape[1] / 2, shape[1] - shape[1] / 2);
      case 2:
        return shape[0] > 1 ? concat({slice(x, 0, 1, shape[0] - 1), slice(x, 0, 0, 1)}, 0) : x;
      case 3:  // without its mean over the channels
        return x - broadcast(1.0 / static_cast<double>(shape[1]) * sum(x, 0b10), shape);
      default:  // without its mean over the batch
        return x - broadcast(1.0 / static_cast<double>(shape[0]) * sum(x, 0b1), shape);
    }
  }

  Value loss(Value h, Value labels, std::int64_t classes) const {
    const Value real = mean(sigmoid_cross_entropy(nn::linear(h, "real", 1), 1));
    const Value gram = mean(tanh(matmul(h, h, false, true)));
    return real + mean(softmax_cross_entropy(nn::linear(h, "class", classes), labels)) + 0.25 * gram;
  }

  std::uint32_t seed_;
  mutable std::uint32_t drawn_ = 0, names_ = 0;
};

}  // namespace halfling::test
