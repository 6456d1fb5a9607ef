// SPDX-License-Identifier: Apache-2.0
// The convolution family, each of the three ops also as the gradient of the others. Exact, as the matrix
// products.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

struct Convolution {
  const char* name;
  Shape x;
  std::int64_t out;
  std::int64_t kernel_height, kernel_width;
  int stride, padding;
};

const Convolution convolutions[] = {
    {"4x4-stride2", {3, 5, 8, 8}, 7, 4, 4, 2, 1},
    {"4x4-stride2-one-channel-in", {2, 1, 28, 28}, 16, 4, 4, 2, 1},
    {"4x4-stride2-one-channel-out", {2, 6, 8, 8}, 1, 4, 4, 2, 1},
    {"4x4-stride2-one-image", {1, 16, 14, 14}, 32, 4, 4, 2, 1},
    {"4x4-stride2-rest", {2, 3, 7, 9}, 5, 4, 4, 2, 1},  // the last row and column of x meet no kernel
    {"4x4-whole-image", {3, 17, 4, 4}, 9, 4, 4, 1, 0},
    {"3x3", {2, 3, 7, 5}, 4, 3, 3, 1, 1},
    {"3x3-blocked-channels", {2, 16, 6, 6}, 32, 3, 3, 1, 1},
    {"3x3-no-padding", {1, 8, 5, 6}, 8, 3, 3, 1, 0},
    {"5x5-stride2", {2, 4, 9, 9}, 3, 5, 5, 2, 2},
    {"1x1", {2, 7, 4, 3}, 5, 1, 1, 1, 0},
    {"1x1-stride2", {2, 8, 6, 6}, 16, 1, 1, 2, 0},
    {"3x1", {2, 4, 6, 5}, 6, 3, 1, 1, 0},
    {"3x3-stride-above-width", {2, 3, 1, 1}, 8, 3, 3, 2, 1},
    {"4x3-stride-above-width", {1, 7, 3, 3}, 20, 4, 3, 4, 2},   // two columns of y
    {"2x2-stride-above-width", {2, 15, 5, 2}, 20, 2, 2, 3, 1},  // the kernel ends within the image
};

Shape weight_shape(const Convolution& c) {
  return {c.out, c.x[1], c.kernel_height, c.kernel_width};
}

Shape result_shape(const Convolution& c) {
  return {c.x[0], c.out, (c.x[2] + 2 * c.padding - c.kernel_height) / c.stride + 1,
          (c.x[3] + 2 * c.padding - c.kernel_width) / c.stride + 1};
}

Case family_case(const char* op, const Convolution& c, std::function<void(Builder&)> build) {
  return {.name = fmt::format("{}/{}", op, c.name),
          .build = std::move(build),
          .formats = Formats::and_tf32,
          .order = 2};
}

Case forward(const Convolution& c) {
  return family_case("conv2d", c, [c](Builder& b) {
    const Value x = b.input("x", c.x);
    const Value w = b.input("w", weight_shape(c));
    b.check("y", conv2d(x, w, c.stride, c.padding), {x, w});
  });
}

Case input_gradient(const Convolution& c) {
  return family_case("conv2d_input_gradient", c, [c](Builder& b) {
    const Value dy = b.input("dy", result_shape(c));
    const Value w = b.input("w", weight_shape(c));
    const ConvAttributes attributes{c.stride, c.padding, c.x[2], c.x[3]};
    b.check("dx", b.append(Op::conv2d_input_gradient, {dy, w}, attributes), {dy, w});
  });
}

Case weight_gradient(const Convolution& c) {
  return family_case("conv2d_weight_gradient", c, [c](Builder& b) {
    const Value x = b.input("x", c.x);
    const Value dy = b.input("dy", result_shape(c));
    const ConvAttributes attributes{c.stride, c.padding, c.kernel_height, c.kernel_width};
    b.check("dw", b.append(Op::conv2d_weight_gradient, {x, dy}, attributes), {x, dy});
  });
}

}  // namespace

std::vector<Case> convolution_cases() {
  std::vector<Case> cases;
  for (const Convolution& c : convolutions) {
    cases.push_back(forward(c));
    cases.push_back(input_gradient(c));
    cases.push_back(weight_gradient(c));
  }
  cases.push_back({.name = "conv2d/transposed",
                   .build =
                       [](Builder& b) {
                         const Value x = b.input("x", {2, 6, 7, 7});
                         const Value w = b.input("w", {6, 3, 4, 4});
                         b.check("y", conv2d_transpose(x, w, 2, 1), {x, w});
                       },
                   .formats = Formats::and_tf32,
                   .order = 2});
  // As matmul/reals: sums of up to 2 * 7 * 7 = 98 products below 1.
  cases.push_back({.name = "conv2d/reals",
                   .build =
                       [](Builder& b) {
                         const Value x = b.input("x", {2, 5, 14, 14});
                         const Value w = b.input("w", {6, 5, 4, 4});
                         b.check("y", conv2d(x, w, 2, 1), {x, w});
                       },
                   .fill = reals(-1, 1),
                   .tolerance = {.epsilons = 50}});
  return cases;
}

}  // namespace halfling::conformance
