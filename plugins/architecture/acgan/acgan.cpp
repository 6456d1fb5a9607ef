// SPDX-License-Identifier: Apache-2.0
// The article's AC-GAN: InfoGAN-shaped networks (Chen et al. 2016, appendix) with an auxiliary classifier on
// the discriminator's features (Odena et al. 2017), and three training operations D, G and Q. G and D are
// each updated twice an iteration: by their own operation, and by Q.
#include "halfling/architecture.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;
using nn::Mode;

class Acgan : public Architecture {
 public:
  explicit Acgan(const Options& o)
      : z_dim_(o.integer("z_dim")),
        fc_width_(o.integer("fc_width")),
        first_channels_(o.integer("first_channels")),
        second_channels_(o.integer("second_channels")),
        classifier_width_(o.integer("classifier_width")),
        slope_(o.number("leaky_slope")),
        norm_{o.number("batch_norm_epsilon"), o.number("batch_norm_momentum")},
        deviation_(o.number("init_deviation")) {}

  std::vector<Noise> noises() const override { return {{"z", -1, 1}}; }

  std::vector<Phase> training(const BatchSpec& spec) const override {
    check(spec);
    if (spec.batch < 2)
      throw Error({.what = "acgan cannot train on batches of one sample",
                   .where = "input.batch_size",
                   .got = std::to_string(spec.batch),
                   .expected = "2 or more",
                   .hint = "batch normalization over one sample makes every image the same",
                   .kind = ErrorKind::usage});
    std::vector<Phase> phases;
    phases.push_back(discriminator_phase(spec));
    phases.push_back(generator_phase(spec));
    return phases;
  }

  Graph sampling(const BatchSpec& spec) const override {
    check(spec);
    Graph graph;
    graph.output("samples", unit_images(generator(graph, spec, Mode::inference), spec));
    return graph;
  }

 private:
  struct Judgement {
    Value logit;
    Value features;
  };

  static void check(const BatchSpec& spec) {
    if (spec.image[1] != spec.image[2] || spec.image[1] % 4 != 0)
      throw Error({.what = "acgan cannot make images of this size",
                   .where = "architecture",
                   .got = spec.image.text(),
                   .expected = "square images whose side is a multiple of 4",
                   .hint = "two layers of stride 2 halve the image twice",
                   .kind = ErrorKind::usage});
  }

  /// d: mean BCE(D(x), 1) + mean BCE(D(G(z, y)), 0), for D.
  Phase discriminator_phase(const BatchSpec& spec) const {
    Phase phase{"discriminator", {}, {}};
    Graph& graph = phase.graph;
    const Value real = discriminator(images_input(graph, spec)).logit;
    const Value fake = discriminator(detach(generator(graph, spec, Mode::training))).logit;
    const Scope scope(graph, "d.loss");
    const Value loss = mean(sigmoid_cross_entropy(real, 1)) + mean(sigmoid_cross_entropy(fake, 0));
    phase.operations = {{"d", loss, {"d."}}};
    return phase;
  }

  /// g: mean BCE(D(G(z, y)), 1), for G. q: class loss of real and of generated images, for D, C and G.
  Phase generator_phase(const BatchSpec& spec) const {
    Phase phase{"generator", {}, {}};
    Graph& graph = phase.graph;
    const Judgement real = discriminator(images_input(graph, spec));
    const Judgement fake = discriminator(generator(graph, spec, Mode::training));
    const Value real_class = classifier(real.features, spec.classes);
    const Value fake_class = classifier(fake.features, spec.classes);
    phase.operations = {
        {"g", adversarial_loss(fake.logit), {"g."}},
        {"q", class_loss(real_class, fake_class, labels_input(graph, spec)), {"d.", "c.", "g."}}};
    return phase;
  }

  static Value adversarial_loss(Value logit) {
    const Scope scope(*logit.graph, "g.loss");
    return mean(sigmoid_cross_entropy(logit, 1));
  }

  static Value class_loss(Value real, Value fake, Value labels) {
    const Scope scope(*real.graph, "q.loss");
    return mean(softmax_cross_entropy(real, labels)) + mean(softmax_cross_entropy(fake, labels));
  }

  Value generator(Graph& graph, const BatchSpec& spec, Mode mode) const {
    const Value z = noise_input(graph, "z", {spec.batch, z_dim_});
    const std::int64_t side = spec.image[1] / 4;
    const Initial normal{Initial::Kind::normal, deviation_};
    Value h = concat({z, one_hot(labels_input(graph, spec), spec.classes)}, 1);
    h = relu(nn::batch_norm(nn::linear(h, "g.fc1", fc_width_), "g.bn1", norm_, mode));
    h = relu(nn::batch_norm(nn::linear(h, "g.fc2", second_channels_ * side * side), "g.bn2", norm_, mode));
    h = reshape(h, {spec.batch, second_channels_, side, side});
    h = nn::conv2d_transpose(h, "g.deconv3", first_channels_, 4, 2, 1, normal);
    h = relu(nn::batch_norm(h, "g.bn3", norm_, mode));
    return image_output(nn::conv2d_transpose(h, "g.deconv4", spec.image[0], 4, 2, 1, normal), spec);
  }

  Judgement discriminator(Value x) const {
    const Initial truncated{Initial::Kind::truncated_normal, deviation_};
    Value h = leaky_relu(nn::conv2d(x, "d.conv1", first_channels_, 4, 2, 1, truncated), slope_);
    h = nn::conv2d(h, "d.conv2", second_channels_, 4, 2, 1, truncated);
    h = leaky_relu(nn::batch_norm(h, "d.bn2", norm_, Mode::training), slope_);
    h = reshape(h, {h.shape()[0], h.shape().elements() / h.shape()[0]});
    h = nn::batch_norm(nn::linear(h, "d.fc3", fc_width_), "d.bn3", norm_, Mode::training);
    const Value features = leaky_relu(h, slope_);
    return {nn::linear(features, "d.fc4", 1), features};
  }

  Value classifier(Value features, std::int64_t classes) const {
    const Value h = nn::linear(features, "c.fc1", classifier_width_);
    return nn::linear(leaky_relu(nn::batch_norm(h, "c.bn1", norm_, Mode::training), slope_), "c.fc2",
                      classes);
  }

  std::int64_t z_dim_, fc_width_, first_channels_, second_channels_, classifier_width_;
  double slope_;
  nn::BatchNorm norm_;
  double deviation_;
};

using enum OptionType;
constexpr OptionDeclaration options[] = {
    {"z_dim", integer, "", "100", "length of the noise vector", 1, 65536},
    {"fc_width", integer, "", "1024", "width of the fully connected layers", 1, 65536},
    {"first_channels", integer, "", "64", "channels of d.conv1, and those that g.deconv4 reads", 1, 65536},
    {"second_channels", integer, "", "128", "channels of d.conv2, and those that g.deconv3 reads", 1, 65536},
    {"classifier_width", integer, "", "128", "width of the classifier's hidden layer", 1, 65536},
    {"leaky_slope", number, "", "0.2", "slope of leaky ReLU for negative inputs", 0, 1},
    {"batch_norm_epsilon", number, "", "1e-5", "added to the variance", 1e-12, 1},
    {"batch_norm_momentum", number, "", "0.1", "weight of a new batch in the running statistics", 0, 1},
    {"init_deviation", number, "", "0.02", "standard deviation of the initial convolution weights", 0, 10},
};

}  // namespace

HALFLING_PLUGIN(Acgan, "acgan", HALFLING_VERSION, "auxiliary-classifier GAN with D, G and Q operations",
                options)
