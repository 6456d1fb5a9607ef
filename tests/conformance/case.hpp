// SPDX-License-Identifier: Apache-2.0
// A conformance case is data: a name, a function that builds a graph, how the inputs are filled and how far a
// result may be off. To add one, add an element to the list of the file cases_<class>.cpp that it belongs to:
//
//   {.name = "matmul/odd",                                     // run as matmul/odd/f32, matmul/odd/bf16, ...
//    .build = [](Builder& b) {
//      const Value x = b.input("x", {3, 5});                    // in the format under test, small whole
//      numbers const Value w = b.input("w", {5, 7}); b.check("y", matmul(x, w), {x, w}); // the result, and
//      its gradients for x and w
//    },
//    .order = 2}                                                // differentiable twice: finite differences
//    too
//
// Every result is compared with the reference backend's, and must be the same again in a second run, before
// which all memory but inputs and states is filled with NaN.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare.hpp"
#include "halfling/builder.hpp"
#include "host_value.hpp"

namespace halfling::conformance {

/// What a case is run in: the storage format and the one to compute in.
struct Format {
  std::string name;
  DType io = DType::f32;
  DType compute = DType::f32;
};

/// Sum_i <losses[i], seeds[i]> and where its gradients are.
struct Differentiation {
  struct Pair {
    std::string output;
    std::string input;
  };
  std::vector<Pair> losses;     ///< an output and the input that weighs it
  std::vector<Pair> gradients;  ///< an output and the input that it is the gradient for
};

/// Builds one graph of a case and remembers the data that go with it.
class Builder {
 public:
  struct Settings {
    Format format;
    Fill fill;            ///< of inputs that do not say otherwise
    int order = 1;        ///< how often `check` differentiates
    std::string name;     ///< of the case: the data depend on it
    bool smooth = false;  ///< real numbers instead of whole ones, so that no input lies on a kink
  };
  explicit Builder(Settings settings);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// The storage format under test, and the wider one of parameters and statistics: f32, or f64 with f64.
  DType io() const { return settings_.format.io; }
  DType wide() const { return io() == DType::f64 ? DType::f64 : DType::f32; }

  Value input(const std::string& name, Shape shape) { return input(name, io(), shape, settings_.fill); }
  Value input(const std::string& name, Shape shape, const Fill& fill) {
    return input(name, io(), shape, fill);
  }
  Value input(const std::string& name, DType dtype, Shape shape, const Fill& fill);
  /// A boolean scalar input.
  Value flag(const std::string& name, bool value) {
    return input(name, DType::boolean, {}, list({value ? 1.0 : 0.0}));
  }
  Value state(const std::string& name, DType dtype, Shape shape, const Fill& fill);
  Value append(Op op, std::vector<ValueId> operands, Attributes attributes = {});

  void output(const std::string& name, Value value) { graph.output(name, value); }
  /// Makes `result` an output, and the gradients of sum(result * weights) with respect to inputs.
  void check(const std::string& name, Value result, const std::vector<Value>& with_respect_to = {});

  Graph graph;
  const std::map<std::string, HostValue>& inputs() const { return inputs_; }
  const std::map<std::string, HostValue>& states() const { return states_; }
  const std::vector<Differentiation>& differentiations() const { return differentiations_; }

 private:
  struct Output {
    std::string name;
    Value value;
  };
  std::vector<Output> differentiate(const std::vector<Output>& losses, const std::vector<Value>& targets);
  const std::string& input_name(ValueId value) const;

  Settings settings_;
  std::map<std::string, HostValue> inputs_, states_;
  std::vector<Differentiation> differentiations_;
};

enum class Formats {
  all,       ///< every one that the device claims, but tf32
  and_tf32,  ///< contractions: tf32 too
  once,      ///< the case has formats of its own: run it once, as f32
};

/// How far a result may be off, beyond the one rounding to a storage format narrower than the compute format,
/// which may fall either way once the value before it is not exact. The default: exact.
struct Allowance {
  double ulps = 0;      ///< steps of the compute format, relative to the expected value
  double epsilons = 0;  ///< steps of the compute format at 1
  double storage = 0;   ///< steps of the format under test at 1: intermediate results that are stored rounded
  bool exact() const { return ulps == 0 && epsilons == 0 && storage == 0; }
};

struct Case {
  std::string name;
  std::function<void(Builder&)> build;
  std::function<void(Builder&)> then{};  ///< a second graph of the same session, run after the first
  Fill fill = integers(3);
  Allowance tolerance{};
  std::optional<Allowance> gradient_tolerance{};  ///< where gradients, made of several nodes, need more
  Formats formats = Formats::all;
  int runs = 1;
  int order = 0;             ///< how often it can be differentiated; checked by finite differences
  bool contraction = false;  ///< of operands that are not finite: results are judged as op.hpp promises
  bool zeros = false;  ///< results that are all zero are right here; elsewhere they prove nothing and fail
};

/// Every case of the suite.
std::vector<Case> all_cases();

std::vector<Case> contraction_cases();
std::vector<Case> convolution_cases();
std::vector<Case> normalization_cases();
/// Pointwise ops whose value is a function's, which carries a few roundings; all others are exact.
bool is_function(Op op);
std::vector<Case> pointwise_cases();
std::vector<Case> reduction_cases();
std::vector<Case> loss_cases();
std::vector<Case> shape_cases();
std::vector<Case> random_cases();
std::vector<Case> update_cases();
std::vector<Case> state_cases();
std::vector<Case> chain_cases();
std::vector<Case> nonfinite_cases();
std::vector<Case> special_cases();
std::vector<Case> large_cases();
std::vector<Case> random_graph_cases();

}  // namespace halfling::conformance
