// SPDX-License-Identifier: Apache-2.0
// Mixed precision (Micikevicius et al. 2018; the article's split): contractions and batch norm read and write
// a half format and accumulate in f32; parameters, statistics, softmax, losses and reductions stay in f32.
#include <algorithm>

#include "../pattern.hpp"
#include "halfling/error.hpp"
#include "halfling/precision.hpp"

namespace {

using halfling::DType;
using halfling::Graph;
using halfling::Node;
using halfling::OpClass;

class Mixed : public halfling::PrecisionPolicy {
 public:
  explicit Mixed(const halfling::Options& options)
      : single_(options.strings("single")),
        first_(options.boolean("single_first_layer")),
        last_(options.boolean("single_last_layer")),
        wide_(options.string("weight_gradient") == "fp32") {
    const std::string& half = options.string("half");
    choose_ = half == "auto";
    half_ = half == "bf16" ? DType::bf16 : DType::f16;
    std::vector<halfling::ErrorDetails> faults;
    for (const std::string& name : single_)
      if (!halfling::matches_any_op(name))
        faults.push_back({.what = "no op and no class of ops has this name",
                          .where = "precision.single",
                          .got = name,
                          .expected = halfling::op_pattern_help,
                          .kind = halfling::ErrorKind::usage});
    halfling::throw_any(std::move(faults));
  }

  /// The half format computed natively; fp16 where both or neither are (the article's format).
  void bind(const halfling::Device& device) override {
    using enum halfling::FormatSupport;
    if (choose_)
      half_ = device.support(DType::f16) != native && device.support(DType::bf16) == native ? DType::bf16
                                                                                            : DType::f16;
  }

  halfling::Precision precision(const Graph& graph, const Node& node) const override {
    if (std::ranges::any_of(single_, [&](const auto& name) { return halfling::matches_op(name, node.op); }))
      return {DType::f32, DType::f32};
    const OpClass op_class = halfling::class_of(node.op);
    if (op_class == OpClass::contraction && is_kept(graph, node.scope)) return {DType::f32, DType::f32};
    if (op_class == OpClass::contraction || op_class == OpClass::normalization) return {half_, DType::f32};
    return {std::nullopt, DType::f32};
  }

  bool wide_weight_gradients() const override { return wide_; }
  std::vector<DType> formats() const override { return {half_, DType::f32}; }

 private:
  /// Layers are in the order in which their contractions first appear; a network is what stands before the
  /// first dot.
  bool is_kept(const Graph& graph, const std::string& layer) const {
    if (!first_ && !last_) return false;
    const std::string network = layer.substr(0, layer.find('.') + 1);
    std::vector<std::string> layers;
    for (const Node& node : graph.nodes())
      if (halfling::class_of(node.op) == OpClass::contraction && node.scope.starts_with(network) &&
          std::ranges::find(layers, node.scope) == layers.end())
        layers.push_back(node.scope);
    return (first_ && layer == layers.front()) || (last_ && layer == layers.back());
  }

  std::vector<std::string> single_;
  bool first_, last_, wide_;
  bool choose_ = false;
  DType half_ = DType::f16;
};

using enum halfling::OptionType;
using halfling::unbounded;
// The seed casts to single precision before the sigmoid; autocast lists do the same for exp and log.
constexpr halfling::OptionDeclaration options[] = {
    {"half", string, "", "\"auto\"",
     "half format of contractions and batch norm; auto: the one that the device computes natively",
     -unbounded, unbounded, "fp16|bf16|auto"},
    {"single", string_list, "", R"(["reduction", "loss", "sigmoid", "tanh", "exp", "log"])",
     "op classes and ops kept in single precision; \"normalization\" can be added"},
    {"single_first_layer", boolean, "", "false",
     "keep the first contraction of each network in single precision"},
    {"single_last_layer", boolean, "", "false",
     "keep the last contraction of each network in single precision"},
    {"weight_gradient", string, "", "\"half\"",
     "format in which a gradient of weights leaves its contraction; fp32 neither rounds nor overflows it",
     -unbounded, unbounded, "half|fp32"},
};

}  // namespace

HALFLING_PLUGIN(Mixed, "mixed", HALFLING_VERSION,
                "half contractions and batch norm, single parameters and losses", options)
