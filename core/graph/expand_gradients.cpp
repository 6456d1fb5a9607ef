// SPDX-License-Identifier: Apache-2.0
// gradient_of, replaced by the backward pass that it stands for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/passes.hpp"
#include "halfling/builder.hpp"
#include "halfling/error.hpp"
#include "halfling/gradient.hpp"

namespace halfling {
namespace {

// Of the root mean square of a scaled gradient. f16 has 22 binary places below the least, subnormal ones
// included, and 12 above the most. Both bounds are wide, so that a gradient that fits is not scaled at all:
// what scales it up scales down the gradient that comes back through it.
constexpr double least = 0x1p-8, most = 0x1p4;
constexpr double step = 0x1p4;
constexpr double greatest_scale = 0x1p12;  // a seed of this is finite in f16, too

class Expansion {
 public:
  explicit Expansion(const Graph& from) : from_(from) { result_.map.assign(from.values().size(), no_value); }

  PrecisionResult run() && {
    for (const Node& node : from_.nodes()) convert(node);
    for (const State& state : from_.states())
      if (state.latest != state.first) to().assign(state.name, mapped(state.latest));
    for (const Port& port : from_.outputs()) to().output(port.name, mapped(port.value));
    return std::move(result_);
  }

 private:
  /// A power of two that the backward pass is multiplied by. Nothing reads its state but `inverse`: the
  /// gradient of the gradient reads these values after the state has changed.
  struct Scale {
    std::string state;
    Value inverse;
    Value seed;
  };

  Graph& to() { return result_.graph; }
  ValueId mapped(ValueId old) const { return result_.map[static_cast<std::size_t>(old)]; }

  void convert(const Node& node) {
    to().context() = {node.scope, node.stage, node.compute};
    std::vector<ValueId> results;
    if (node.op == Op::input) {
      const ValueInfo& info = from_.value(node.results[0]);
      results = {to().input(std::get<NameAttributes>(node.attributes).name, info.dtype, info.shape)};
    } else if (node.op == Op::state) {
      results = {to().state(*from_.find_state(std::get<NameAttributes>(node.attributes).name))};
    } else if (node.op == Op::gradient_of) {
      to().context().compute.reset();
      const Value y{&to(), mapped(node.operands[0])}, x{&to(), mapped(node.operands[1])};
      results = {gradient_by(y, x, from_.value(node.results[0]).dtype)};
    } else {
      std::vector<ValueId> operands;
      for (const ValueId operand : node.operands) operands.push_back(mapped(operand));
      results = to().node(to().append(node.op, std::move(operands), node.attributes)).results;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      result_.map[static_cast<std::size_t>(node.results[i])] = results[i];
  }

  ValueId gradient_by(Value y, Value x, DType wide) {
    const Value loss = cast(y, wide);
    if (!has_f16()) return cast(backward(loss, constant(to(), 1, {}, wide), x), wide);
    const Scale scale = begin_scale();
    const Value scaled = cast(backward(loss, cast(scale.seed, wide), x), wide);
    next_scale(scale, scaled);
    return scaled * reshape(cast(scale.inverse, wide), ones(x.shape().rank()));
  }

  Value backward(Value loss, Value seed, Value x) {
    const Value each = broadcast(reshape(seed, ones(loss.shape().rank())), loss.shape());
    const std::vector<ValueId> losses{loss}, seeds{each}, targets{x};
    const ValueId found = gradient(to(), losses, seeds, targets)[0];
    if (found != no_value) return {&to(), found};
    throw Error({.what = "gradient_of has nothing to differentiate",
                 .where = to().context().scope,
                 .got = fmt::format("{}, which does not depend on {}", to().describe(loss), to().describe(x)),
                 .expected = "gradient_of(y, x) with x on the way to y",
                 .hint = "make y from this very x, and detach nothing between them",
                 .kind = ErrorKind::usage});
  }

  bool has_f16() {
    return std::ranges::any_of(to().values(), [](const ValueInfo& v) { return v.dtype == DType::f16; });
  }

  Scale begin_scale() {
    const std::string plain = to().context().scope + ".gradient_scale";
    std::string name = plain;
    for (int i = 2; to().find_state(name) != nullptr; ++i) name = fmt::format("{}.{}", plain, i);
    const Value scale = state(to(), {.name = name,
                                     .dtype = DType::f32,
                                     .shape = {},
                                     .initial = {Initial::Kind::constant, 1},
                                     .role = StateRole::scaler});
    const Value one = constant(to(), 1), inverse = one / scale;
    return {name, inverse, one / inverse};
  }

  /// A gradient of zeros tells nothing, and leaves the scale as it is.
  void next_scale(const Scale& scale, Value scaled) {
    const Stage outer = std::exchange(to().context().stage, Stage::update);
    const Value gradient = cast(scaled, DType::f32), now = scale.seed;
    const Value size = sqrt(mean(gradient * gradient));
    const Value up =
        select(less(constant(to(), 0), size), minimum(step * now, constant(to(), greatest_scale)), now);
    const Value down = maximum(1 / step * now, constant(to(), 1 / greatest_scale));
    const Value fitting =
        select(less(constant(to(), most), size), down, select(less(size, constant(to(), least)), up, now));
    to().assign(scale.state, select(any_nonfinite(to(), {gradient}), down, fitting));
    to().context().stage = outer;
  }

  static Shape ones(int rank) {
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) shape.push_back(1);
    return shape;
  }

  const Graph& from_;
  PrecisionResult result_;
};

}  // namespace

PrecisionResult expand_gradients(const Graph& graph) {
  return Expansion(graph).run();
}

}  // namespace halfling
