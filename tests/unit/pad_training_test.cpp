// SPDX-License-Identifier: Apache-2.0
// Whole training iterations, padded: the AC-GAN, and networks drawn by chance.
#include "pad_network.hpp"
#include "pad_run.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

struct Widths {
  std::int64_t first, second, fc, classifier, z;
};
constexpr Widths even{8, 8, 16, 8, 6}, odd{3, 5, 12, 9, 6}, full{64, 128, 1024, 128, 100};

std::unique_ptr<Architecture> acgan(const Widths& widths) {
  Options options;
  options.set("first_channels", widths.first);
  options.set("second_channels", widths.second);
  options.set("fc_width", widths.fc);
  options.set("classifier_width", widths.classifier);
  options.set("z_dim", widths.z);
  return make<Architecture>("acgan", std::move(options));
}

std::unique_ptr<PrecisionPolicy> precision(const std::string& name) {
  if (name == "f16" || name == "bf16")
    return make<PrecisionPolicy>("mixed", option("half", name == "f16" ? std::string("fp16") : name));
  return make<PrecisionPolicy>(name);
}

struct Trial {
  const char* precision = "fp32";
  const char* optimizer = "adam";
};

Graph iteration(const Architecture& architecture, const BatchSpec& spec, const Trial& trial) {
  const auto policy = precision(trial.precision);
  const auto scaler = make<LossScaler>("dynamic", option("initial", 1.0));
  const auto optimizer = make<Optimizer>(trial.optimizer);
  return build_iteration({.architecture = &architecture,
                          .policy = policy.get(),
                          .scaler = scaler.get(),
                          .scope = ScalerScope::operation,
                          .optimizers = {},
                          .optimizer = optimizer.get(),
                          .spec = spec})
      .graph;
}

/// Runs a few iterations, the second one under the loss scale `second`; which of them an operation skipped.
std::vector<bool> skips(const Graph& graph, const std::string& operation, float second = 1) {
  Pair pair(graph);
  CHECK(odd_contraction(pair.padded().graph) == "");
  std::vector<bool> skipped;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const float scale = i == 1 ? second : 1;
    for (const State& state : graph.states())
      if (state.name.ends_with(".scale")) pair.write_state(state.name, bytes_of({scale}));
    pair.draw_inputs(i);
    pair.run();
    skipped.push_back(pair.output("skipped." + operation) != 0);
  }
  return skipped;
}

}  // namespace

TEST_CASE("the AC-GAN computes the same, whatever the image, the widths and the precision") {
  struct Row {
    Shape image;
    Widths widths;
    const char* precision;
  };
  for (const Row& row :
       {Row{{1, 28, 28}, odd, "fp64"}, Row{{1, 28, 28}, even, "fp32"}, Row{{1, 28, 28}, odd, "f16"},
        Row{{3, 32, 32}, odd, "fp32"}, Row{{3, 32, 32}, even, "f16"}, Row{{3, 32, 32}, odd, "bf16"}}) {
    CAPTURE(row.image.text());
    CAPTURE(std::string(row.precision));
    const Graph graph = iteration(*acgan(row.widths), {2, row.image, 10}, {row.precision});
    const bool half = row.precision == std::string("f16");
    CHECK(skips(graph, "q", half ? 0x1p30f : 1) == std::vector{false, half, false});
  }
}

TEST_CASE("networks drawn by chance compute the same, overflows included") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const RandomNetwork network(seed);
    const BatchSpec spec{3, {1 + seed % 3, 4, 4}, 3};
    CHECK(!skips(iteration(network, spec, {"fp64"}), "all")[0]);
    CHECK(skips(iteration(network, spec, {"f16"}), "all", 0x1p30f)[1]);
    CHECK(skips(iteration(network, spec, {"fp32", "sgd"}), "all", infinity)[1]);
  }
}

TEST_CASE("the full AC-GAN has few pads, and five padded weights with their moments") {
  for (const Shape& image : {Shape{1, 28, 28}, Shape{3, 32, 32}})
    for (const Trial& trial : {Trial{"fp32"}, Trial{"f16"}, Trial{"f16", "sgd"}}) {
      const cudnn::PaddedGraph padded = cudnn::pad(iteration(*acgan(full), {64, image, 10}, trial));
      CHECK(odd_contraction(padded.graph) == "");
      // Images: real and fake; G's input; the gradients of three logits of D, of two of the classifier, and
      // of the fake images for g and q.
      CHECK(pads_in(padded.graph) == 10);
      // Cut off at once: logits, the fake image, its gradients.
      CHECK(std::ranges::count(padded.graph.nodes(), Op::slice, &Node::op) == 3 + 2 + 1 + 2);
      for (const Node& node : padded.graph.nodes())
        if (node.op == Op::slice)
          CHECK(class_of(padded.graph.node(padded.graph.value(node.operands[0]).producer).op) ==
                OpClass::contraction);
      std::vector<std::string> weights;
      int moments = 0;
      for (const cudnn::StateLayout& state : padded.states)
        if (state.padded == state.logical)
          continue;
        else if (state.name.starts_with("optimizer."))
          ++moments;
        else
          weights.push_back(state.name);
      CHECK(moments == (trial.optimizer == std::string("adam") ? 2 * (2 + 2 + 4) : 0));  // of d, g and q
      CHECK(weights == std::vector<std::string>{"d.conv1.weight", "d.fc4.weight", "g.fc1.weight",
                                                "g.deconv4.weight", "c.fc2.weight"});
    }
}

TEST_CASE("what training padded, sampling reads") {
  const BatchSpec spec{3, {3, 8, 8}, 10};
  const auto architecture = acgan(odd);
  const cudnn::PaddedGraph trained = cudnn::pad(iteration(*architecture, spec, {}));
  Pair pair(build_sampling(*architecture, *precision("fp32"), spec), trained.states);
  CHECK(odd_contraction(pair.padded().graph) == "");
  CHECK(pads_in(pair.padded().graph) == 3);  // what deconv3 reads, and what comes out of bn1's and bn3's ReLU
  for (const cudnn::StateLayout& state : pair.padded().states)
    CHECK(state.padded == std::ranges::find(trained.states, state.name, &cudnn::StateLayout::name)->padded);
  pair.draw_inputs(0);
  pair.run();
}
