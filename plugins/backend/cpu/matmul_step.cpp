// SPDX-License-Identifier: Apache-2.0
#include "dnnl_step.hpp"
#include "halfling/error.hpp"
#include "matmul.hpp"
#include "transpose.hpp"

namespace halfling::cpu {

dnnl::matmul::primitive_desc matmul_descriptor(const MatrixProduct& p) {
  using Desc = dnnl::memory::desc;
  const auto matrix = [](std::int64_t rows, std::int64_t columns, bool transposed, DType dtype) {
    return Desc({rows, columns}, dnnl_type(dtype),
                transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1});
  };
  dnnl::primitive_attr attributes = strict_attributes();
  if (p.accumulates) {
    dnnl::post_ops sum;
    sum.append_sum();
    attributes.set_post_ops(sum);
  }
  dnnl::matmul::primitive_desc desc(cpu_engine(), matrix(p.m, p.k, p.transpose_a, p.operands),
                                    matrix(p.k, p.n, p.transpose_b, p.operands),
                                    matrix(p.m, p.n, false, p.result), attributes);
  if (!skip_reference(desc))
    throw Error({.what = "oneDNN has no fast matrix product for this format",
                 .where = "backend cpu",
                 .got = std::string(name_of(p.operands)),
                 .expected = "an implementation that is not a reference one",
                 .hint = "set backend.emulate = true"});
  return desc;
}

namespace {

class MatmulStep final : public DnnlStep {
 public:
  MatmulStep(const StepContext& context, const Item& item) : DnnlStep(context) {
    const auto& attributes = std::get<MatmulAttributes>(context.graph.node(item.node).attributes);
    const Slot &a = context.program.slot(item.in[0]), &b = context.program.slot(item.in[1]);
    const Slot& y = context.program.slot(item.out[0]);
    const MatrixProduct p{.m = y.shape[0],
                          .k = a.shape[attributes.transpose_a ? 0 : 1],
                          .n = y.shape[1],
                          .transpose_a = attributes.transpose_a,
                          .transpose_b = attributes.transpose_b,
                          .operands = native(a.dtype),
                          .result = native(y.dtype),
                          .accumulates = item.in.size() == 3};
    const Pointer pa = operand(context.address(item.in[0]), a.dtype, a.shape.elements());
    const Pointer pb = operand(context.address(item.in[1]), b.dtype, b.shape.elements());
    std::byte* address = context.address(item.out[0]);
    const Pointer py = result(address, y.dtype, y.shape.elements());
    prefers_transposed(p) ? transposed(p, pa, pb, py) : multiply(p, pa, pb, py);
    finish(py, address, y.dtype, y.shape.elements());
  }

 private:
  /// A few rows times a large weight that lies as its transpose: as the first operand of y^T = b^T a^T the
  /// weight need not be packed. README.md has the figures.
  static bool prefers_transposed(const MatrixProduct& p) {
    return !p.accumulates && !p.transpose_a && p.transpose_b && p.m > 1 && p.m <= 64 && p.n >= 256 &&
           p.k >= 4 * p.n;
  }

  void multiply(const MatrixProduct& p, const Pointer& a, const Pointer& b, const Pointer& y) {
    const auto desc = matmul_descriptor(p);
    then(dnnl::matmul(desc), desc.scratchpad_desc(),
         {{DNNL_ARG_SRC, desc.src_desc(), a},
          {DNNL_ARG_WEIGHTS, desc.weights_desc(), b},
          {DNNL_ARG_DST, desc.dst_desc(), y}});
    implementation_ = desc.impl_info_str();
  }

  void transposed(const MatrixProduct& p, const Pointer& a, const Pointer& b, const Pointer& y) {
    const std::size_t element = size_of(p.result);
    const Pointer yt = scratch(static_cast<std::size_t>(p.m * p.n) * element);
    multiply({p.n, p.k, p.m, !p.transpose_b, !p.transpose_a, p.operands, p.result}, b, a, yt);
    then([this, p, y, yt, element] {
      team_.split(p.n, p.m, [&](Range range) {
        const auto skip = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * element; };
        transpose(element, *yt + skip(range.begin * p.m), *y + skip(range.begin), range.end - range.begin,
                  p.m, p.n);
      });
    });
  }
};

}  // namespace

StepPointer make_matmul_step(const StepContext& context, const Item& item) {
  return std::make_unique<MatmulStep>(context, item);
}

}  // namespace halfling::cpu
