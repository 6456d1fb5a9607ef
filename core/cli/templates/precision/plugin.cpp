// SPDX-License-Identifier: Apache-2.0
// Half precision where it pays: contractions of at least `least` million FLOPs read and write a half format
// and accumulate in single; whatever is smaller stays in single precision, and so does all the rest.
#include <algorithm>

#include "halfling/cost.hpp"
#include "halfling/error.hpp"
#include "halfling/precision.hpp"

namespace {

using namespace halfling;

class LargeContractions final : public PrecisionPolicy {
 public:
  explicit LargeContractions(const Options& options)
      : least_(options.number("least")), choose_(options.string("half") == "auto") {
    half_ = options.string("half") == "fp16" ? DType::f16 : DType::bf16;
  }

  // Comes first: takes the half format that the device computes natively.
  void bind(const Device& device) override {
    if (choose_ && device.support(DType::bf16) != FormatSupport::native &&
        device.support(DType::f16) != FormatSupport::none)
      half_ = DType::f16;
  }

  // Asked for every node of a forward graph. Weights are kept in single and cast for use.
  Precision precision(const Graph& graph, const Node& node) const override {
    return {is_large(graph, node) ? half_ : DType::f32, DType::f32};
  }

  // Sees all graphs of an experiment before anything runs: where nothing is large, say so.
  void check(std::span<const Graph* const> graphs) const override {
    double most = 0;
    for (const Graph* graph : graphs)
      for (const Node& node : graph->nodes()) {
        if (is_large(*graph, node)) return;
        if (is_contraction(node)) most = std::max(most, cost_of(*graph, node).flops / 1e6);
      }
    throw Error({.what = "no contraction is large enough for half precision",
                 .where = "precision.least",
                 .got = std::to_string(least_),
                 .expected = "at most " + std::to_string(most) + ", what the largest one takes",
                 .kind = ErrorKind::usage});
  }

  std::vector<DType> formats() const override { return {half_, DType::f32}; }

 private:
  static bool is_contraction(const Node& node) { return class_of(node.op) == OpClass::contraction; }
  bool is_large(const Graph& graph, const Node& node) const {
    return is_contraction(node) && cost_of(graph, node).flops >= least_ * 1e6;
  }

  double least_;
  bool choose_;
  DType half_;
};

constexpr OptionDeclaration options[] = {
    {"least", OptionType::number, "million FLOPs", "10", "contractions of fewer stay in single precision", 0,
     1e9},
    {"half", OptionType::string, "", "\"auto\"", "the half format; auto: the one computed natively",
     -unbounded, unbounded, "fp16|bf16|auto"},
};

}  // namespace

HALFLING_PLUGIN(LargeContractions, "@NAME@", "0.1.0", "half precision for large contractions alone", options)
