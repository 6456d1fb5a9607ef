// SPDX-License-Identifier: Apache-2.0
// A fused loop as the tile program says it: loads, instructions and stores, one element at a time. An i32
// travels as its bits.
#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "loops.hpp"
#include "program/tile_program.hpp"

namespace loops {
namespace {

float load(DType dtype, const std::byte* from, std::int64_t i) {
  if (size_of(dtype) == 1) return static_cast<float>(std::to_integer<int>(from[i]));
  return reinterpret_cast<const float*>(from)[i];
}
void store(DType dtype, float value, std::byte* to, std::int64_t i) {
  if (size_of(dtype) == 1)
    to[i] = static_cast<std::byte>(static_cast<int>(value));
  else
    reinterpret_cast<float*>(to)[i] = value;
}

/// The element of an operand that element `i` of the loop reads.
std::int64_t index_of(const TileLoad& load, std::int64_t i, std::int64_t columns) {
  if (load.access == Access::scalar) return 0;
  if (load.access == Access::column) return i % columns;
  if (load.access == Access::full) return i;
  std::int64_t result = 0;
  for (int axis = load.extents.rank() - 1; axis >= 0; --axis) {
    result += i % load.extents[axis] * load.strides[static_cast<std::size_t>(axis)];
    i /= load.extents[axis];
  }
  return result;
}

float rectified(float x, float y, float slope) {
  if (slope == 0) return x <= 0 ? 0 : y;
  return x > 0 ? y : slope * y;
}

float compute(TileOp op, float a, float b, float c, const std::array<float, 2>& p) {
  switch (op) {
    case TileOp::copy:
      return a;
    case TileOp::add:
      return a + b;
    case TileOp::subtract:
      return a - b;
    case TileOp::multiply:
      return a * b;
    case TileOp::divide:
      return a / b;
    case TileOp::minimum:
      return std::isnan(a) || a < b ? a : b;
    case TileOp::maximum:
      return std::isnan(a) || a > b ? a : b;
    case TileOp::affine:
      return p[0] * a + p[1];
    case TileOp::leaky_relu:
      return rectified(a, a, p[0]);
    case TileOp::leaky_relu_gradient:
      return rectified(a, b, p[0]);
    case TileOp::sigmoid:
      return 1 / (1 + std::exp(-a));
    case TileOp::exp:
      return std::exp(a);
    case TileOp::log:
      return std::log(a);
    case TileOp::sqrt:
      return std::sqrt(a);
    case TileOp::less:
      return a < b ? 1.f : 0.f;
    case TileOp::select:
      return a != 0 ? b : c;
    case TileOp::from_i32:
      return static_cast<float>(std::bit_cast<std::int32_t>(a));
    default:
      throw std::logic_error("an op that was refused has come all the same");
  }
}

class Tiles {
 public:
  explicit Tiles(TileProgram program)
      : program_(std::move(program)), registers_(static_cast<std::size_t>(program_.registers)) {}

  void run() {
    std::vector<std::vector<double>> sums;
    for (const TileReduction& reduction : program_.reductions)
      sums.emplace_back(static_cast<std::size_t>(reduction.columns));
    for (std::int64_t i = 0; i < program_.elements; ++i) {
      run_element(i);
      for (std::size_t k = 0; k < sums.size(); ++k)
        sums[k][static_cast<std::size_t>(i) % sums[k].size()] += at(program_.reductions[k].from);
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (std::size_t c = 0; c < sums[k].size(); ++c)
        store(DType::f32, static_cast<float>(sums[k][c]), program_.reductions[k].results[0],
              static_cast<std::int64_t>(c));
  }

 private:
  float& at(int r) { return registers_[static_cast<std::size_t>(r)]; }
  float operand(int r) { return r == no_register ? 0 : at(r); }

  void bring(const TileLoad& load, std::int64_t i) {
    at(load.to) = load.access == Access::constant
                      ? load.constant
                      : loops::load(load.dtype, load.from, index_of(load, i, program_.columns));
  }

  void run_element(std::int64_t i) {
    for (const TileLoad& load : program_.once) bring(load, i);
    std::size_t next = 0;
    for (std::size_t k = 0; k <= program_.computes.size(); ++k) {
      for (; next < program_.loads.size() && program_.load_at[next] == k; ++next)
        bring(program_.loads[next], i);
      if (k == program_.computes.size()) break;
      const TileCompute& c = program_.computes[k];
      at(c.to) = compute(c.op, operand(c.a), operand(c.b), operand(c.c), c.parameters);
      if (c.direct != nullptr) store(DType::f32, at(c.to), c.direct, i);
    }
    for (const TileStore& s : program_.stores) store(s.dtype, at(s.from), s.to, i);
  }

  TileProgram program_;
  std::vector<float> registers_;
};

}  // namespace

Step tile_step(const StepContext& context, const Cluster& cluster) {
  const auto tiles = std::make_shared<Tiles>(compile_tiles(context.program, context.addresses, cluster));
  return [tiles] { tiles->run(); };
}

}  // namespace loops
