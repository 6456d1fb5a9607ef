// SPDX-License-Identifier: Apache-2.0
// A small convolutional classifier, without a generator: strided convolutions, then a layer of features of a
// fixed width, then logits. `halfling quality` looks at images through it.
#include <algorithm>

#include "halfling/architecture.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;
using nn::Mode;

/// Convolutions halve the image until its shorter side is below this.
constexpr std::int64_t small_side = 8;
constexpr Initial weights{Initial::Kind::truncated_normal, 0.05};

class Classifier : public Architecture {
 public:
  explicit Classifier(const Options& o)
      : first_channels_(o.integer("first_channels")),
        features_(o.integer("features")),
        slope_(o.number("leaky_slope")),
        norm_{o.number("batch_norm_epsilon"), o.number("batch_norm_momentum")} {}

  std::vector<Noise> noises() const override { return {}; }

  /// c: mean cross entropy of the classes of real images.
  std::vector<Phase> training(const BatchSpec& spec) const override {
    check(spec);
    if (spec.batch < 2)
      throw refusal("classifier cannot train on batches of one sample", "input.batch_size",
                    std::to_string(spec.batch), "2 or more, for batch normalization");
    Phase phase{"classifier", {}, {}};
    const Value logits = judge(phase.graph, spec, Mode::training).logits;
    const Value labels = labels_input(phase.graph, spec);
    const Scope scope(phase.graph, "c.loss");
    phase.operations = {{"c", mean(softmax_cross_entropy(logits, labels)), {"c."}}};
    std::vector<Phase> phases;
    phases.push_back(std::move(phase));
    return phases;
  }

  Graph sampling(const BatchSpec&) const override { return {}; }

  Graph classification(const BatchSpec& spec) const override {
    check(spec);
    Graph graph;
    const Judgement judgement = judge(graph, spec, Mode::inference);
    graph.output("features", judgement.features);
    graph.output("logits", judgement.logits);
    return graph;
  }

 private:
  struct Judgement {
    Value features;
    Value logits;
  };

  static Error refusal(const char* what, const char* where, std::string got, const char* expected) {
    return Error({.what = what,
                  .where = where,
                  .got = std::move(got),
                  .expected = expected,
                  .hint = {},
                  .kind = ErrorKind::usage});
  }

  static void check(const BatchSpec& spec) {
    if (std::min(spec.image[1], spec.image[2]) < 2)
      throw refusal("classifier cannot look at images of this size", "architecture", spec.image.text(),
                    "at least 2 pixels each way, as its first convolution halves the image");
  }

  Judgement judge(Graph& graph, const BatchSpec& spec, Mode mode) const {
    Value h = images_input(graph, spec);
    for (int layer = 0; layer == 0 || std::min(h.shape()[2], h.shape()[3]) >= small_side; ++layer) {
      const std::string number = std::to_string(layer + 1);
      const std::int64_t channels = first_channels_ << std::min(layer, 2);
      h = nn::conv2d(h, "c.conv" + number, channels, 4, 2, 1, weights);
      h = leaky_relu(nn::batch_norm(h, "c.bn" + number, norm_, mode), slope_);
    }
    h = reshape(h, {spec.batch, h.shape().elements() / spec.batch});
    h = nn::batch_norm(nn::linear(h, "c.features", features_), "c.features_bn", norm_, mode);
    const Value features = leaky_relu(h, slope_);
    return {features, nn::linear(features, "c.logits", spec.classes)};
  }

  std::int64_t first_channels_, features_;
  double slope_;
  nn::BatchNorm norm_;
};

using enum OptionType;
constexpr OptionDeclaration options[] = {
    {"first_channels", integer, "", "32", "channels of c.conv1; later layers have two and four times as many",
     1, 4096},
    {"features", integer, "", "64", "width of the layer of features before the logits", 1, 65536},
    {"leaky_slope", number, "", "0.2", "slope of leaky ReLU for negative inputs", 0, 1},
    {"batch_norm_epsilon", number, "", "1e-5", "added to the variance", 1e-12, 1},
    {"batch_norm_momentum", number, "", "0.1", "weight of a new batch in the running statistics", 0, 1},
};

}  // namespace

HALFLING_PLUGIN(Classifier, "classifier", HALFLING_VERSION, "convolutional classifier of real images, no GAN",
                options)
