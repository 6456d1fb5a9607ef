// SPDX-License-Identifier: Apache-2.0
// A policy written in the experiment file: a list of rules, of which the first that matches decides.
#include <algorithm>
#include <set>

#include "halfling/error.hpp"
#include "halfling/precision.hpp"
#include "rule.hpp"

namespace {

using halfling::DType;
using halfling::Graph;
using halfling::Node;
using halfling::Rule;

/// Length of the common beginning.
std::ptrdiff_t nearness(const std::string& a, const std::string& b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

class Rules : public halfling::PrecisionPolicy {
 public:
  explicit Rules(const halfling::Options& options) : wide_(options.string("weight_gradient") == "fp32") {
    std::vector<halfling::ErrorDetails> faults;
    for (const std::string& text : options.strings("rules")) {
      try {
        rules_.push_back(halfling::parse_rule(text));
      } catch (const halfling::Error& error) {
        faults.push_back(error.details());
      }
    }
    halfling::throw_any(std::move(faults));
  }

  /// What no rule matches is f32.
  halfling::Precision precision(const Graph&, const Node& node) const override {
    const auto rule = std::ranges::find_if(rules_, [&](const Rule& r) { return r.matches(node); });
    return rule == rules_.end() ? halfling::Precision{DType::f32, DType::f32} : rule->answer;
  }

  void check(std::span<const Graph* const> graphs) const override {
    std::vector<bool> matched(rules_.size(), false), decided(rules_.size(), false);
    for (const Graph* graph : graphs)
      for (const Node& node : graph->nodes()) {
        if (!halfling::has_precision(node.op)) continue;
        bool first = true;
        for (std::size_t i = 0; i < rules_.size(); ++i) {
          if (!rules_[i].matches(node)) continue;
          matched[i] = true;
          if (first) decided[i] = true;
          first = false;
        }
      }
    std::vector<halfling::ErrorDetails> faults;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!matched[i])
        faults.push_back(matches_nothing(rules_[i], graphs));
      else if (!decided[i])
        faults.push_back(never_reached(rules_[i]));
    }
    halfling::throw_any(std::move(faults));
  }

  bool wide_weight_gradients() const override { return wide_; }

  std::vector<DType> formats() const override {
    std::set<DType> formats{DType::f32};
    for (const Rule& rule : rules_) {
      if (rule.answer.io) formats.insert(*rule.answer.io);
      formats.insert(rule.answer.compute);
    }
    return {formats.begin(), formats.end()};
  }

 private:
  static halfling::ErrorDetails matches_nothing(const Rule& rule, std::span<const Graph* const> graphs) {
    std::set<std::string> names;
    for (const Graph* graph : graphs)
      for (const Node& node : graph->nodes())
        if (halfling::has_precision(node.op) && !node.scope.empty()) names.insert(node.scope);
    std::vector<std::string> layers(names.begin(), names.end());
    const std::string wanted = rule.layers.front();
    std::ranges::stable_sort(layers, std::greater{},
                             [&](const auto& name) { return nearness(wanted, name); });
    std::string near;
    for (std::size_t i = 0; i < std::min<std::size_t>(layers.size(), 6); ++i)
      near += (i == 0 ? "" : ", ") + layers[i];
    return {.what = "a rule matches nothing in this architecture",
            .where = "precision.rules",
            .got = rule.text,
            .expected = "ops that a layer has; the nearest layers: " + near,
            .hint = "remove the rule, or correct the name of the op or of the layer",
            .kind = halfling::ErrorKind::usage};
  }

  static halfling::ErrorDetails never_reached(const Rule& rule) {
    return {.what = "a rule is never reached: the rules before it match all that it matches",
            .where = "precision.rules",
            .got = rule.text,
            .expected = "the special rules before the general ones",
            .hint = "move the rule up, or remove it",
            .kind = halfling::ErrorKind::usage};
  }

  std::vector<Rule> rules_;
  bool wide_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"rules", string_list, "", nullptr,
     "\"OPS @ LAYERS = FORMAT/COMPUTE\", the first that matches decides; what none matches is f32"},
    {"weight_gradient", string, "", "\"half\"",
     "format in which a gradient of weights leaves its contraction; fp32 neither rounds nor overflows it",
     -halfling::unbounded, halfling::unbounded, "half|fp32"},
};

}  // namespace

HALFLING_PLUGIN(Rules, "rules", HALFLING_VERSION, "formats by rules over ops and layers", options)
