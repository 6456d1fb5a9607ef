// SPDX-License-Identifier: Apache-2.0
// The convolution family: oneDNN's primitive, or patches and a matrix product.
#include <algorithm>

#include "dnnl_step.hpp"
#include "matmul.hpp"
#include "patches.hpp"
#include "processor.hpp"

namespace halfling::cpu {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

ConvGeometry geometry(const Slot& x, const Slot& w, const Slot& y, const ConvAttributes& a) {
  return {x.shape[0], x.shape[1], x.shape[2], x.shape[3], y.shape[1], y.shape[2],
          y.shape[3], w.shape[1], w.shape[2], a.stride,   a.padding};
}

class ConvolutionStep final : public DnnlStep {
 public:
  ConvolutionStep(const StepContext& context, const Item& item)
      : DnnlStep(context), op_(context.graph.node(item.node).op) {
    const auto& attributes = std::get<ConvAttributes>(context.graph.node(item.node).attributes);
    const Ref first = item.in[0], second = item.in[1], out = item.out[0];
    const bool forward = op_ == Op::conv2d, to_input = op_ == Op::conv2d_input_gradient;
    const Ref x = to_input ? out : first, y = forward ? out : to_input ? first : second;
    const Ref w = op_ == Op::conv2d_weight_gradient ? out : second;
    const auto slot = [&](Ref ref) -> const Slot& { return context.program.slot(ref); };
    g_ = geometry(slot(x), slot(w), slot(y), attributes);
    dtype_ = slot(out).dtype;
    computed_ = native(dtype_);
    out_elements_ = slot(out).shape.elements();
    address_ = context.address(out);
    a_ = operand(context.address(first), slot(first).dtype, slot(first).shape.elements());
    b_ = operand(context.address(second), slot(second).dtype, slot(second).shape.elements());
    if (prefers_patches() || !primitive()) patches();
  }

 private:
  /// The rule that the benchmark found; README.md has the figures.
  bool prefers_patches() const {
    if (op_ == Op::conv2d_input_gradient) return g_.channels < 8;
    if (op_ == Op::conv2d_weight_gradient)
      return computed_ == DType::bf16 && (g_.channels >= 16 || primitive_reads_unwritten_scratch());
    return false;
  }

  /// oneDNN (3.2, and newer ones) sorts the columns of x by their remainder modulo the stride, and writes no
  /// remainder that has no column, but multiplies it with dy.
  bool primitive_reads_unwritten_scratch() const { return g_.stride > g_.width; }

  Desc desc_x(memory::data_type type) const {
    return Desc({g_.batch, g_.channels, g_.height, g_.width}, type, Tag::nhwc);
  }
  Desc desc_y(memory::data_type type) const {
    return Desc({g_.batch, g_.out_channels, g_.out_height, g_.out_width}, type, Tag::nhwc);
  }
  Desc desc_w(memory::data_type type, Tag tag) const {
    return Desc({g_.out_channels, g_.channels, g_.kernel_height, g_.kernel_width}, type, tag);
  }

  /// False where oneDNN has nothing but a reference implementation.
  bool primitive() {
    const auto type = dnnl_type(computed_);
    const memory::dims strides{g_.stride, g_.stride}, padding{g_.padding, g_.padding};
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const Desc x = desc_x(type), y = desc_y(type), w = desc_w(type, Tag::any), mine = desc_w(type, Tag::ohwi);
    try {
      dnnl::convolution_forward::primitive_desc forward(cpu_engine(), dnnl::prop_kind::forward_training,
                                                        algorithm, x, w, y, strides, padding, padding,
                                                        strict_attributes());
      if (op_ == Op::conv2d) {
        if (!skip_reference(forward)) return false;
        implementation_ = forward.impl_info_str();
        const Pointer weights = reordered(b_, mine, forward.weights_desc());
        const Pointer to = result(address_, dtype_, out_elements_);
        then(dnnl::convolution_forward(forward), forward.scratchpad_desc(),
             {{DNNL_ARG_SRC, x, a_},
              {DNNL_ARG_WEIGHTS, forward.weights_desc(), weights},
              {DNNL_ARG_DST, y, to}});
        finish(to, address_, dtype_, out_elements_);
      } else if (op_ == Op::conv2d_input_gradient) {
        dnnl::convolution_backward_data::primitive_desc desc(cpu_engine(), algorithm, x, w, y, strides,
                                                             padding, padding, forward, strict_attributes());
        if (!skip_reference(desc)) return false;
        implementation_ = desc.impl_info_str();
        const Pointer weights = reordered(b_, mine, desc.weights_desc());
        const Pointer to = result(address_, dtype_, out_elements_);
        then(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
             {{DNNL_ARG_DIFF_DST, y, a_},
              {DNNL_ARG_WEIGHTS, desc.weights_desc(), weights},
              {DNNL_ARG_DIFF_SRC, x, to}});
        finish(to, address_, dtype_, out_elements_);
      } else {
        return weight_gradient(forward);
      }
    } catch (const dnnl::error&) {
      return false;  // no implementation at all
    }
    return true;
  }

  bool weight_gradient(const dnnl::convolution_forward::primitive_desc& forward) {
    const auto type = dnnl_type(computed_);
    const memory::dims strides{g_.stride, g_.stride}, padding{g_.padding, g_.padding};
    const Desc x = desc_x(type), y = desc_y(type), mine = desc_w(type, Tag::ohwi);
    dnnl::convolution_backward_weights::primitive_desc desc(cpu_engine(), dnnl::algorithm::convolution_direct,
                                                            x, desc_w(type, Tag::any), y, strides, padding,
                                                            padding, forward, strict_attributes());
    if (!skip_reference(desc)) return false;
    implementation_ = desc.impl_info_str();
    const Pointer to = result(address_, dtype_, out_elements_);
    const bool same = desc.diff_weights_desc() == mine;
    const Pointer blocked = same ? to : scratch(desc.diff_weights_desc().get_size());
    then(dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(),
         {{DNNL_ARG_SRC, x, a_},
          {DNNL_ARG_DIFF_DST, y, b_},
          {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc(), blocked}});
    if (!same) reorder(blocked, desc.diff_weights_desc(), to, mine);
    finish(to, address_, dtype_, out_elements_);
    return true;
  }

  void product(const MatrixProduct& p, const Pointer& a, const Pointer& b, const Pointer& y) {
    const auto desc = matmul_descriptor(p);
    then(dnnl::matmul(desc), desc.scratchpad_desc(),
         {{DNNL_ARG_SRC, desc.src_desc(), a},
          {DNNL_ARG_WEIGHTS, desc.weights_desc(), b},
          {DNNL_ARG_DST, desc.dst_desc(), y}});
    implementation_ = std::string("patches+") + desc.impl_info_str();
  }

  /// y = P W^T; dx = the sum of dy W over patches, kept in f32 so that it is rounded once.
  void patches() {
    if (op_ == Op::conv2d_weight_gradient) return weight_gradient_patches();
    const std::int64_t rows = g_.rows(), patch = g_.patch(), out = g_.out_channels;
    if (op_ == Op::conv2d_input_gradient) {
      const Pointer p = scratch(static_cast<std::size_t>(rows * patch) * sizeof(float));
      const Pointer lines =
          scratch(static_cast<std::size_t>(team_.threads() * g_.width * g_.channels) * sizeof(float));
      product({rows, out, patch, false, false, computed_, DType::f32}, a_, b_, p);
      then([this, p, lines] {
        sum_patches(team_, g_, reinterpret_cast<const float*>(*p), reinterpret_cast<float*>(*lines), dtype_,
                    address_);
      });
      return;
    }
    const std::size_t element = size_of(computed_);
    const Pointer p = scratch(static_cast<std::size_t>(rows * patch) * element);
    then([this, p, element] { make_patches(team_, g_, element, *a_, *p); });
    const Pointer to = result(address_, dtype_, out_elements_);
    product({rows, patch, out, false, true, computed_, computed_}, p, b_, to);
    finish(to, address_, dtype_, out_elements_);
  }

  /// dW = dy^T P, added up in f32 over chunks of images whose patches stay in the cache.
  void weight_gradient_patches() {
    constexpr std::int64_t chunk_bytes = 6 << 20;
    const std::size_t element = size_of(computed_);
    const std::int64_t image_rows = g_.out_height * g_.out_width;
    const std::int64_t image_bytes = image_rows * g_.patch() * static_cast<std::int64_t>(element);
    const std::int64_t chunk = std::clamp<std::int64_t>(chunk_bytes / image_bytes, 1, g_.batch);
    const Pointer p = scratch(static_cast<std::size_t>(chunk * image_bytes));
    const Pointer sum = dtype_ == DType::f32
                            ? fixed(address_)
                            : scratch(static_cast<std::size_t>(out_elements_) * sizeof(float));
    for (std::int64_t first = 0; first < g_.batch; first += chunk) {
      ConvGeometry part = g_;
      part.batch = std::min(chunk, g_.batch - first);
      const auto skip_x = static_cast<std::size_t>(first * g_.height * g_.width * g_.channels) * element;
      const auto skip_y = static_cast<std::size_t>(first * image_rows * g_.out_channels) * element;
      then([this, p, part, element, skip_x] { make_patches(team_, part, element, *a_ + skip_x, *p); });
      product({g_.out_channels, part.rows(), g_.patch(), true, false, computed_, DType::f32, first > 0},
              moved(b_, skip_y), p, sum);
    }
    if (dtype_ != DType::f32) convert(sum, DType::f32, fixed(address_), dtype_, out_elements_);
  }

  Op op_;
  ConvGeometry g_{};
  DType dtype_{}, computed_{};
  std::int64_t out_elements_ = 0;
  std::byte* address_ = nullptr;
  Pointer a_, b_;
};

}  // namespace

StepPointer make_convolution_step(const StepContext& context, const Item& item) {
  return std::make_unique<ConvolutionStep>(context, item);
}

}  // namespace halfling::cpu
