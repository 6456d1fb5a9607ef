// SPDX-License-Identifier: Apache-2.0
// A conditional GAN with the hinge loss (Lim and Ye 2017), spectral norm in the critic (Miyato et al. 2018)
// and the class as a projection (Miyato and Koyama 2018).
#include "halfling/architecture.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;
using nn::Mode;

constexpr Initial weights{Initial::Kind::normal, 0.05};

class HingeGan final : public Architecture {
 public:
  explicit HingeGan(const Options& options)
      : z_dim_(options.integer("z_dim")), width_(options.integer("width")) {}

  std::vector<Noise> noises() const override { return {Noise::normal("z")}; }

  // Forward graphs and losses; gradients, number formats and updates are added by halfling. "d." and "g." are
  // the prefixes of the parameters that an operation updates.
  std::vector<Phase> training(const BatchSpec& spec) const override {
    check(spec);
    std::vector<Phase> phases(2);
    phases[0].name = "critic";
    Graph& critics = phases[0].graph;
    const Value real = critic(images_input(critics, spec), spec);
    const Value fake = critic(detach(generator(critics, spec, Mode::training)), spec);
    phases[0].operations = {{"d", mean(relu(1.0 - real)) + mean(relu(fake + 1.0)), {"d."}}};
    phases[1].name = "generator";
    const Value judged = critic(generator(phases[1].graph, spec, Mode::training), spec);
    phases[1].operations = {{"g", -1.0 * mean(judged), {"g."}}};
    return phases;
  }

  // What draws images: the generator alone, with the running statistics of its batch norms.
  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    const Value images = generator(graph, spec, Mode::inference);
    graph.output("samples", unit_images(images, spec));
    return graph;
  }

 private:
  static void check(const BatchSpec& spec) {
    if (spec.image[1] % 4 == 0 && spec.image[2] % 4 == 0) return;
    throw Error({.what = "@NAME@ doubles the size of an image twice",
                 .where = "dataset",
                 .got = std::to_string(spec.image[1]) + " x " + std::to_string(spec.image[2]) + " pixels",
                 .expected = "a height and a width that 4 divides",
                 .kind = ErrorKind::usage});
  }

  Value generator(Graph& graph, const BatchSpec& spec, Mode mode) const {
    const std::int64_t height = spec.image[1] / 4, width = spec.image[2] / 4, channels = 2 * width_;
    const Value z = noise_input(graph, "z", {spec.batch, z_dim_});
    Value h = concat({z, one_hot(labels_input(graph, spec), spec.classes)}, 1);
    h = reshape(nn::linear(h, "g.fc", channels * height * width), {spec.batch, channels, height, width});
    h = relu(nn::batch_norm(h, "g.bn1", {}, mode));
    h = nn::conv2d_transpose(h, "g.deconv1", width_, 4, 2, 1, weights);
    h = relu(nn::batch_norm(h, "g.bn2", {}, mode));
    return image_output(nn::conv2d_transpose(h, "g.deconv2", spec.image[0], 4, 2, 1, weights), spec);
  }

  // [N,1]: a score of the image, and one of how well it fits its class.
  Value critic(Value x, const BatchSpec& spec) const {
    Value h = leaky_relu(convolution(x, "d.conv1", width_), 0.1);
    h = leaky_relu(convolution(h, "d.conv2", 2 * width_), 0.1);
    h = reshape(h, {spec.batch, h.shape().elements() / spec.batch});
    Graph& graph = *x.graph;
    const Value classes = one_hot(labels_input(graph, spec), spec.classes);
    const Value rows = nn::parameter(graph, "d.classes.weight", {spec.classes, h.shape()[1]}, weights);
    return nn::linear(h, "d.fc", 1) + sum(matmul(classes, rows) * h, 0b10);
  }

  static Value convolution(Value x, const std::string& name, std::int64_t out) {
    const Value weight = nn::parameter(*x.graph, name + ".weight", {out, x.shape()[1], 4, 4}, weights);
    return conv2d(x, nn::spectral_norm(weight, name + ".norm", Mode::training), 2, 1);
  }

  std::int64_t z_dim_, width_;
};

constexpr OptionDeclaration options[] = {
    {"z_dim", OptionType::integer, "", "64", "length of the noise vector", 1, 65536},
    {"width", OptionType::integer, "", "32", "channels of the convolution at half the image's size", 1, 4096},
};

}  // namespace

HALFLING_PLUGIN(HingeGan, "@NAME@", "0.1.0", "hinge GAN with spectral norm and a class projection", options)
