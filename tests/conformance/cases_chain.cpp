// SPDX-License-Identifier: Apache-2.0
// Sequences that backends fuse. Where every intermediate value is a small whole number or a quarter of one,
// each format holds it exactly, and fused and separate computation must agree exactly too.
#include "case.hpp"

namespace halfling::conformance {
namespace {

const Fill tiny = integers(1);

Value bias(Builder& b, const std::string& name, const Shape& like) {
  const Value vector = b.input(name, {like[1]}, integers(2));
  return like.rank() == 4 ? reshape(vector, {1, like[1], 1, 1}) : reshape(vector, {1, like[1]});
}

void conv_bias_leaky(Builder& b) {
  const Value x = b.input("x", {2, 3, 8, 8}, tiny);
  const Value w = b.input("w", {6, 3, 4, 4}, tiny);
  const Value bias = b.input("bias", {6}, integers(2));
  const Value y = conv2d(x, w, 2, 1);
  b.check("y", leaky_relu(y + reshape(bias, {1, 6, 1, 1}), 0.25), {x, w, bias});
}

void deconv_bias_relu(Builder& b) {
  const Value x = b.input("x", {2, 4, 5, 5}, tiny);
  const Value w = b.input("w", {4, 3, 4, 4}, tiny);
  const Value y = conv2d_transpose(x, w, 2, 1);
  b.check("y", relu(y + bias(b, "bias", y.shape())), {x, w});
}

void linear_bias_leaky(Builder& b) {
  const Value x = b.input("x", {5, 20}, tiny);
  const Value w = b.input("w", {17, 20}, tiny);
  const Value bias = b.input("bias", {17}, integers(2));
  const Value y = matmul(x, w, false, true) + reshape(bias, {1, 17});
  b.check("y", leaky_relu(y, 0.25), {x, w, bias});
}

/// The result of the contraction has two readers, so a fusion must not swallow it.
void conv_read_twice(Builder& b) {
  const Value x = b.input("x", {2, 4, 6, 6}, tiny);
  const Value w = b.input("w", {5, 4, 3, 3}, tiny);
  const Value y = conv2d(x, w, 1, 1);
  b.output("sum of y", sum(y, 0b1101));
  b.check("y", relu(y + bias(b, "bias", y.shape())), {x, w});
  b.output("before", y);
}

/// One input of two contractions: its gradient is a sum of two.
void gradient_accumulation(Builder& b) {
  const Value x = b.input("x", {2, 3, 6, 6}, tiny);
  const Value w = b.input("w", {4, 3, 3, 3}, tiny);
  const Value u = b.input("u", {4, 3, 1, 1}, tiny);
  b.check("y", conv2d(x, w, 1, 1) + conv2d(x, u, 1, 0) * conv2d(x, u, 1, 0), {x, w, u});
}

/// One weight used for two batches, as a discriminator for real and fake images.
void shared_weight(Builder& b) {
  const Value real = b.input("real", {3, 10}, tiny);
  const Value fake = b.input("fake", {3, 10}, tiny);
  const Value w = b.input("w", {8, 10}, tiny);
  const Value y =
      leaky_relu(matmul(real, w, false, true), 0.25) - leaky_relu(matmul(fake, w, false, true), 0.25);
  b.check("y", y, {w, fake});
}

/// As before, in batches of two sizes and by convolution.
void shared_filter(Builder& b) {
  const Value real = b.input("real", {3, 2, 6, 6}, tiny);
  const Value fake = b.input("fake", {2, 2, 6, 6}, tiny);
  const Value w = b.input("w", {4, 2, 3, 3}, tiny);
  b.check("y", concat({relu(conv2d(real, w, 1, 1)), leaky_relu(conv2d(fake, w, 1, 1), 2)}, 0),
          {w, real, fake});
}

/// The second use of the weight needs the result of the first one.
void weight_in_sequence(Builder& b) {
  const Value x = b.input("x", {3, 8}, tiny);
  const Value w = b.input("w", {8, 8}, tiny);
  b.check("y", matmul(relu(matmul(x, w, false, true)), w, false, true), {w, x});
}

/// Parameters in the wide format, cast for use; gradients return in the wide format.
void cast_for_use(Builder& b) {
  const Value x = b.input("x", {2, 3, 8, 8}, tiny);
  const Value w = b.input("w", b.wide(), {6, 3, 4, 4}, tiny);
  const Value v = b.input("v", b.wide(), {5, 6 * 4 * 4}, tiny);
  const Value h = relu(conv2d(x, cast(w, b.io()), 2, 1));
  b.check("y", cast(matmul(reshape(h, {2, 96}), cast(v, b.io()), false, true), b.wide()), {w, v, x});
}

void reshape_between(Builder& b) {
  const Value x = b.input("x", {3, 7}, tiny);
  const Value w = b.input("w", {7, 4 * 3 * 3}, tiny);
  const Value u = b.input("u", {4, 2, 4, 4}, tiny);
  b.check("y", conv2d_transpose(reshape(matmul(x, w), {3, 4, 3, 3}), u, 2, 1), {x, w, u});
}

Value normalized(Builder& b, Value x, std::vector<Value>& targets) {
  const std::int64_t channels = x.shape()[1];
  const Value gamma = b.input("gamma", b.wide(), {channels}, reals(0.5, 2));
  const Value beta = b.input("beta", b.wide(), {channels}, reals(-1, 1));
  targets.insert(targets.end(), {gamma, beta});
  const NodeId id = b.graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{1e-5});
  return {&b.graph, b.graph.node(id).results[0]};
}

void norm_relu(Builder& b) {
  const Value x = b.input("x", {4, 5, 3, 3});
  std::vector<Value> targets{x};
  const Value y = relu(normalized(b, x, targets));
  b.check("y", y, targets);
}

void norm_leaky_rows(Builder& b) {
  const Value x = b.input("x", {9, 6});
  std::vector<Value> targets{x};
  const Value y = leaky_relu(normalized(b, x, targets), 0.2);
  b.check("y", y, targets);
}

void conv_norm_leaky(Builder& b) {
  const Value x = b.input("x", {3, 2, 8, 8}, tiny);
  const Value w = b.input("w", {4, 2, 4, 4}, tiny);
  std::vector<Value> targets{x, w};
  const Value y = conv2d(x, w, 2, 1);
  const Value n = normalized(b, y + bias(b, "bias", y.shape()), targets);
  b.check("y", leaky_relu(n, 0.2), targets);
}

/// A whole classifier loss, times a loss scale.
void scaled_loss(Builder& b) {
  const Value x = b.input("x", {6, 12}, reals(-1, 1));
  const Value w = b.input("w", {10, 12}, reals(-1, 1));
  const Value labels = b.input("labels", DType::i32, {6}, list({3, 0, 9}));
  const Value logits = cast(matmul(x, w, false, true), b.wide());
  b.check("loss", 8.0 * mean(softmax_cross_entropy(logits, labels)), {x, w});
}

void adversarial_loss(Builder& b) {
  const Value real = b.input("real", {7, 1}, reals(-2, 2));
  const Value fake = b.input("fake", {7, 1}, reals(-2, 2));
  const Value loss = mean(sigmoid_cross_entropy(real, 1)) + mean(sigmoid_cross_entropy(fake, 0));
  b.check("loss", loss, {real, fake});
}

/// u8 images to [0, 1] and on.
void normalise_bytes(Builder& b) {
  const Value bytes = b.input("images", DType::u8, {2, 1, 6, 6}, list({0, 255, 17, 128, 64}));
  const Value w = b.input("w", {3, 1, 3, 3}, tiny);
  const Value images = cast((1.0 / 256) * cast(bytes, DType::f32), b.io());
  b.check("y", conv2d(images, w, 1, 1), {w});
}

}  // namespace

std::vector<Case> chain_cases() {
  // One rounding of a half more or less where a fusion keeps an intermediate value in f32, and what batch
  // norm makes of it: values up to 4, and a division by a standard deviation of about 1/2 in dx.
  const Allowance norm_rounding{.ulps = 16, .epsilons = 32, .storage = 32};
  const Allowance loss_rounding{.ulps = 4, .epsilons = 16, .storage = 16};
  return {
      {.name = "chain/conv-bias-leaky", .build = conv_bias_leaky, .fill = tiny, .order = 2},
      {.name = "chain/deconv-bias-relu", .build = deconv_bias_relu, .fill = tiny, .order = 2},
      {.name = "chain/linear-bias-leaky", .build = linear_bias_leaky, .fill = tiny, .order = 2},
      {.name = "chain/conv-read-twice", .build = conv_read_twice, .fill = tiny, .order = 2},
      {.name = "chain/gradient-accumulation", .build = gradient_accumulation, .fill = tiny, .order = 1},
      {.name = "chain/shared-weight", .build = shared_weight, .fill = tiny, .order = 2},
      {.name = "chain/shared-filter", .build = shared_filter, .fill = tiny, .order = 2},
      {.name = "chain/weight-in-sequence", .build = weight_in_sequence, .fill = tiny, .order = 2},
      {.name = "chain/cast-for-use", .build = cast_for_use, .fill = tiny, .order = 1},
      {.name = "chain/reshape-between", .build = reshape_between, .fill = tiny, .order = 2},
      {.name = "chain/normalise-bytes", .build = normalise_bytes, .fill = tiny},
      {.name = "chain/norm-relu", .build = norm_relu, .fill = reals(-2, 2), .tolerance = norm_rounding},
      {.name = "chain/norm-leaky-rows",
       .build = norm_leaky_rows,
       .fill = reals(-2, 2),
       .tolerance = norm_rounding},
      {.name = "chain/conv-norm-leaky",
       .build = conv_norm_leaky,
       .fill = reals(-1, 1),
       .tolerance = norm_rounding},
      {.name = "chain/scaled-loss", .build = scaled_loss, .fill = reals(-1, 1), .tolerance = loss_rounding},
      {.name = "chain/adversarial-loss",
       .build = adversarial_loss,
       .fill = reals(-1, 1),
       .tolerance = loss_rounding},
  };
}

}  // namespace halfling::conformance
