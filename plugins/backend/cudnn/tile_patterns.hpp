// SPDX-License-Identifier: Apache-2.0
// The loops over the large values of networks with biases, batch norms and leaky rectifiers, known when the
// kernels are compiled. All other loops are interpreted.
#pragma once

#include <initializer_list>

#include "tile_kernels.hpp"

namespace halfling::cudnn {

struct PatternOperand {
  Source source = Source::accumulator;
  DType dtype = DType::f32;
};

/// An instruction without places and parameters. Whether it keeps, stores or sums is seen when it runs.
struct PatternLine {
  program::TileOp op{};
  std::uint8_t operand_count = 0;
  PatternOperand operands[3] = {};
  DType round = DType::f32;
  DType dtype = DType::f32;  ///< of what it stores, if it does
  bool moments = false;

  constexpr PatternLine(program::TileOp operation, std::initializer_list<PatternOperand> list)
      : op(operation) {
    for (const PatternOperand& operand : list) operands[operand_count++] = operand;
  }
  /// Rounds to a format, and stores in it.
  constexpr PatternLine in(DType half) const {
    PatternLine line = stored(half);
    line.round = half;
    return line;
  }
  /// Is rounded by the store.
  constexpr PatternLine stored(DType half) const {
    PatternLine line = *this;
    line.dtype = half;
    return line;
  }
  constexpr PatternLine with_moments() const {
    PatternLine line = *this;
    line.moments = true;
    return line;
  }
};

template <class... Pattern>
struct PatternList {};

namespace patterns {

constexpr PatternOperand accumulator{}, kept{Source::kept};
constexpr PatternOperand element(DType dtype = DType::f32) {
  return {Source::element, dtype};
}
constexpr PatternOperand column(DType dtype = DType::f32) {
  return {Source::column, dtype};
}

template <int lines>
struct Sized {
  static constexpr int size = lines;
};
using program::TileOp;
using Line = PatternLine;

// --- in any format
template <DType type>
struct BiasMoments : Sized<1> {
  static constexpr Line lines[] = {Line(TileOp::add, {element(type), column(type)}).in(type).with_moments()};
};

template <DType type>
struct BiasLeakyRelu : Sized<2> {
  static constexpr Line lines[] = {Line(TileOp::add, {element(type), column(type)}).in(type),
                                   Line(TileOp::leaky_relu, {accumulator}).stored(type)};
};

// --- in half formats
template <DType half>
struct NormaliseLeakyRelu : Sized<4> {
  static constexpr Line lines[] = {Line(TileOp::subtract, {element(half), column()}),
                                   Line(TileOp::multiply, {accumulator, column()}),
                                   Line(TileOp::add, {accumulator, column()}).in(half),
                                   Line(TileOp::leaky_relu, {accumulator}).stored(half)};
};

template <DType half>
struct LeakyReluGradient : Sized<1> {
  static constexpr Line lines[] = {
      Line(TileOp::leaky_relu_gradient, {element(half), element(half)}).in(half)};
};

/// With the sums that the gradient of the batch norm before needs.
template <DType half>
struct LeakyReluGradientSums : Sized<3> {
  static constexpr Line lines[] = {Line(TileOp::leaky_relu_gradient, {element(half), element(half)}).in(half),
                                   Line(TileOp::subtract, {element(half), column()}),
                                   Line(TileOp::multiply, {accumulator, kept})};
};

template <DType half>
struct BatchNormGradient : Sized<5> {
  static constexpr Line lines[] = {
      Line(TileOp::subtract, {element(half), column()}), Line(TileOp::subtract, {element(half), column()}),
      Line(TileOp::multiply, {accumulator, column()}), Line(TileOp::subtract, {kept, accumulator}),
      Line(TileOp::multiply, {accumulator, column()}).in(half)};
};

// --- in f32, where a bias and a normalisation are made again instead of being kept
struct NormaliseLeakyReluF32 : Sized<5> {
  static constexpr Line lines[] = {
      Line(TileOp::add, {element(), column()}), Line(TileOp::subtract, {accumulator, column()}),
      Line(TileOp::multiply, {accumulator, column()}), Line(TileOp::add, {accumulator, column()}),
      Line(TileOp::leaky_relu, {accumulator})};
};

struct LeakyReluGradientF32 : Sized<2> {
  static constexpr Line lines[] = {Line(TileOp::add, {element(), column()}),
                                   Line(TileOp::leaky_relu_gradient, {accumulator, element()})};
};

struct LeakyReluGradientSumsF32 : Sized<7> {
  static constexpr Line lines[] = {Line(TileOp::add, {element(), column()}),
                                   Line(TileOp::subtract, {accumulator, column()}),
                                   Line(TileOp::multiply, {accumulator, column()}),
                                   Line(TileOp::add, {accumulator, column()}),
                                   Line(TileOp::leaky_relu_gradient, {accumulator, element()}),
                                   Line(TileOp::subtract, {kept, column()}),
                                   Line(TileOp::multiply, {accumulator, kept})};
};

struct BatchNormGradientF32 : Sized<6> {
  static constexpr Line lines[] = {
      Line(TileOp::subtract, {element(), column()}),   Line(TileOp::add, {element(), column()}),
      Line(TileOp::subtract, {accumulator, column()}), Line(TileOp::multiply, {accumulator, column()}),
      Line(TileOp::subtract, {kept, accumulator}),     Line(TileOp::multiply, {accumulator, column()})};
};

using All = PatternList<BiasMoments<DType::f32>, BiasMoments<DType::f16>, BiasMoments<DType::bf16>,
                        BiasLeakyRelu<DType::f32>, BiasLeakyRelu<DType::f16>, BiasLeakyRelu<DType::bf16>,
                        NormaliseLeakyReluF32, NormaliseLeakyRelu<DType::f16>,
                        NormaliseLeakyRelu<DType::bf16>, LeakyReluGradientF32, LeakyReluGradient<DType::f16>,
                        LeakyReluGradient<DType::bf16>, LeakyReluGradientSumsF32,
                        LeakyReluGradientSums<DType::f16>, LeakyReluGradientSums<DType::bf16>,
                        BatchNormGradientF32, BatchNormGradient<DType::f16>, BatchNormGradient<DType::bf16>>;

}  // namespace patterns

using TilePatterns = patterns::All;
using AnyPattern = patterns::Sized<0>;  ///< for what is interpreted

inline bool matches(const PatternLine& line, const TileInstruction& instruction) {
  const TileOperation& operation = instruction.operation;
  if (operation.op != line.op || operation.operand_count != line.operand_count) return false;
  if (operation.round != line.round || (operation.moments != nowhere) != line.moments) return false;
  if (operation.to != nullptr && operation.dtype != line.dtype) return false;
  for (int i = 0; i < line.operand_count; ++i)
    if (instruction.operands[i].source != line.operands[i].source ||
        instruction.operands[i].dtype != line.operands[i].dtype)
      return false;
  return true;
}

template <class Pattern>
bool matches(const TileInstruction* instructions, int count) {
  if (count != Pattern::size) return false;
  for (int i = 0; i < count; ++i)
    if (!matches(Pattern::lines[i], instructions[i])) return false;
  return true;
}

}  // namespace halfling::cudnn
