// SPDX-License-Identifier: Apache-2.0
// Graphs drawn by chance: what a backend fuses, overlaps in memory or updates in place must not show. All
// values are whole numbers, clamped to [-8, 8] where they may grow, and no result of one op exceeds 256:
// every format holds each of them exactly, so nothing is allowed.
#include <fmt/format.h>

#include <algorithm>

#include "case.hpp"
#include "halfling/random.hpp"

namespace halfling::conformance {
namespace {

constexpr double limit = 8;
constexpr std::int64_t most_terms = 30;  // of a sum: 30 * 8 < 256

class Drawing {
 public:
  Drawing(Builder& builder, std::uint32_t seed) : b_(builder), seed_(seed) {}

  void draw() {
    for (const Shape& shape :
         {Shape{4, 6}, {2, 3, 4, 4}, {1, 3, 1, 1}, {2, 48}, {1, 6}, {2, 16, 3, 3}, {5, 1}})
      pool_.push_back(b_.input(fmt::format("x{}", pool_.size()), shape));
    for (const Shape& shape : {Shape{4, 6}, {2, 3, 4, 4}, {2, 16, 3, 3}})
      states_.push_back(b_.state(fmt::format("s{}", states_.size()), b_.io(), shape, integers(3)));
    pool_.insert(pool_.end(), states_.begin(), states_.end());
    const int length = 10 + below(30);
    for (int i = 0; i < length; ++i) step();
    update_states();
    for (std::size_t i = 0; i < pool_.size(); ++i)
      if (i + 3 >= pool_.size() || below(6) == 0) b_.output(fmt::format("y{}", i), pool_[i]);
  }

 private:
  int below(int n) {
    return static_cast<int>(random_word({547, seed_, 0, 0}, 1, drawn_++) % static_cast<unsigned>(n));
  }
  Value any() { return pool_[static_cast<std::size_t>(below(static_cast<int>(pool_.size())))]; }

  Value clamped(Value x) {
    Shape ones;
    for (int axis = 0; axis < x.shape().rank(); ++axis) ones.push_back(1);
    return minimum(maximum(x, constant(b_.graph, -limit, ones, x.dtype())),
                   constant(b_.graph, limit, ones, x.dtype()));
  }

  void step() {
    const Value x = any();
    switch (below(6)) {
      case 0:
        return pool_.push_back(clamped(unary(x)));
      case 1:
      case 2:
        return pool_.push_back(clamped(binary(x)));
      case 3:
        return pool_.push_back(moved(x));
      case 4:
        return pool_.push_back(clamped(reduced(x)));
      default:
        return pool_.push_back(clamped(contracted(x)));
    }
  }

  Value unary(Value x) {
    switch (below(5)) {
      case 0:
        return relu(x);
      case 1:
        return leaky_relu(x, 2);
      case 2:
        return 1.0 - x;
      case 3:
        return 2.0 * x + 1.0;
      default:
        return cast(leaky_relu(cast(x, b_.wide()), -1), b_.io());
    }
  }

  /// A value that broadcasts against x; at worst x itself.
  Value partner(Value x) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Value y = any();
      if (y.shape().rank() != x.shape().rank()) continue;
      bool fits = true;
      for (int axis = 0; axis < x.shape().rank(); ++axis)
        fits = fits && (x.shape()[axis] == y.shape()[axis] || x.shape()[axis] == 1 || y.shape()[axis] == 1);
      if (fits) return y;
    }
    return x;
  }

  Value binary(Value x) {
    const Value y = partner(x);
    switch (below(6)) {
      case 0:
        return x + y;
      case 1:
        return x - y;
      case 2:
        return x * y;
      case 3:
        return minimum(x, y);
      case 4:
        return x.shape() == y.shape() ? select(less(x, y), x, y) : maximum(x, y);
      default:
        return b_.append(Op::leaky_relu_gradient, {x, x.shape() == y.shape() ? y : x}, SlopeAttributes{2});
    }
  }

  Value moved(Value x) {
    const Shape shape = x.shape();
    const int axis = below(shape.rank());
    switch (below(4)) {
      case 0:
        return shape.rank() == 4 ? reshape(x, {shape[0], shape[1] * shape[2] * shape[3]})
                                 : reshape(x, {shape[0], shape[1], 1, 1});
      case 1:
        return slice(x, axis, shape[axis] / 2, shape[axis] - shape[axis] / 2);
      case 2: {
        Shape wider = shape;
        if (wider[axis] == 1) wider[axis] = 3;
        return broadcast(x, wider);
      }
      default:
        return shape.elements() > 500 ? detach(x) : concat({x, x}, axis);
    }
  }

  Value reduced(Value x) {
    const auto mask = static_cast<unsigned>(below(1 << x.shape().rank()));
    std::int64_t terms = 1;
    for (int axis = 0; axis < x.shape().rank(); ++axis)
      if (mask >> axis & 1u) terms *= x.shape()[axis];
    return terms <= most_terms ? sum(x, mask) : sum(x, 1u);
  }

  Value contracted(Value x) {
    const Shape shape = x.shape();
    const std::string name = fmt::format("w{}", drawn_);
    const std::int64_t out = 1 + below(20);
    if (shape.rank() == 2 && shape[1] <= most_terms)
      return matmul(x, b_.input(name, {out, shape[1]}, integers(1)), false, true);
    if (shape.rank() == 4 && shape[1] * 9 <= most_terms)
      return conv2d(x, b_.input(name, {out, shape[1], 3, 3}, integers(1)), 1, 1);
    if (shape.rank() == 4 && shape[1] <= most_terms)
      return conv2d_transpose(x, b_.input(name, {shape[1], 2, 1, 1}, integers(1)), 1, 0);
    return relu(x);
  }

  /// Each state's next value is its old one plus something that no update has touched.
  void update_states() {
    const std::vector<Value> before = pool_;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      Value change = states_[i];
      for (const Value value : before)
        if (value.shape() == change.shape() && !is_state(value) && below(2) == 0) change = value;
      b_.graph.assign(fmt::format("s{}", i), clamped(states_[i] + change));
      std::erase_if(pool_, [&](Value value) { return value.id == states_[i].id; });
    }
  }
  bool is_state(Value value) const {
    return std::any_of(states_.begin(), states_.end(), [&](Value state) { return state.id == value.id; });
  }

  Builder& b_;
  std::uint32_t seed_;
  std::uint32_t drawn_ = 0;
  std::vector<Value> pool_, states_;
};

}  // namespace

std::vector<Case> random_graph_cases() {
  std::vector<Case> cases;
  for (std::uint32_t seed = 0; seed < 40; ++seed)
    cases.push_back({.name = fmt::format("random-graph/{}", seed),
                     .build = [seed](Builder& b) { Drawing(b, seed).draw(); },
                     .runs = 2,
                     .zeros = true});  // a clamped or rectified value may well be
  return cases;
}

}  // namespace halfling::conformance
