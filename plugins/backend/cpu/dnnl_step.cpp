// SPDX-License-Identifier: Apache-2.0
#include "dnnl_step.hpp"

#include "processor.hpp"

namespace halfling::cpu {
namespace {

dnnl::stream& cpu_stream() {
  static dnnl::stream stream(cpu_engine());
  return stream;
}

}  // namespace

dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type dnnl_type(DType dtype) {
  if (dtype == DType::bf16) return dnnl::memory::data_type::bf16;
  return dtype == DType::f16 ? dnnl::memory::data_type::f16 : dnnl::memory::data_type::f32;
}

dnnl::primitive_attr strict_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void DnnlStep::run() {
  for (const auto& action : actions_) action();
}

DnnlStep::Pointer DnnlStep::scratch(std::size_t bytes) {
  auto pointer = std::make_shared<std::byte*>(nullptr);
  in_scratch_.emplace_back(pointer, scratch_bytes_);
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return pointer;
}

DnnlStep::Pointer DnnlStep::moved(const Pointer& from, std::size_t bytes) {
  if (bytes == 0) return from;
  moved_.push_back({std::make_shared<std::byte*>(nullptr), from, bytes});
  return moved_.back().to;
}

void DnnlStep::use_scratch(std::byte* scratch) {
  for (auto& [pointer, offset] : in_scratch_) *pointer = scratch + offset;
  for (Moved& moved : moved_) *moved.to = *moved.from + moved.bytes;
  for (Bound& bound : bound_) bound.memory.set_data_handle(*bound.pointer);
}

void DnnlStep::then(const dnnl::primitive& primitive, const Desc& scratchpad,
                    const std::vector<std::tuple<int, Desc, Pointer>>& arguments) {
  std::vector<dnnl_exec_arg_t> list;
  const auto bind = [&](int index, const Desc& desc, const Pointer& pointer) {
    bound_.push_back({dnnl::memory(desc, cpu_engine(), DNNL_MEMORY_NONE), pointer});
    list.push_back({index, bound_.back().memory.get()});
  };
  for (const auto& [index, desc, pointer] : arguments) bind(index, desc, pointer);
  if (scratchpad.get_size() > 0) bind(DNNL_ARG_SCRATCHPAD, scratchpad, scratch(scratchpad.get_size()));
  then([primitive, list] {
    dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive.get(), cpu_stream().get(),
                                                   static_cast<int>(list.size()), list.data()),
                            "oneDNN could not run a primitive");
  });
}

void DnnlStep::reorder(const Pointer& from, const Desc& have, const Pointer& to, const Desc& want) {
  const dnnl::reorder::primitive_desc desc(cpu_engine(), have, cpu_engine(), want, strict_attributes());
  then(dnnl::reorder(desc), desc.scratchpad_desc(), {{DNNL_ARG_FROM, have, from}, {DNNL_ARG_TO, want, to}});
}

DnnlStep::Pointer DnnlStep::reordered(const Pointer& from, const Desc& have, const Desc& want) {
  if (have == want) return from;
  const Pointer to = scratch(want.get_size());
  reorder(from, have, to, want);
  return to;
}

void DnnlStep::convert(const Pointer& from, DType have, const Pointer& to, DType want,
                       std::int64_t elements) {
  then([this, from, have, to, want, elements] {
    team_.split(elements, 1, [&](Range range) {
      const auto offset = [&](const Pointer& p, DType dtype) {
        return *p + static_cast<std::size_t>(range.begin) * size_of(dtype);
      };
      if (want == DType::f32)
        kernels().load(have, offset(from, have), reinterpret_cast<float*>(offset(to, want)),
                       range.end - range.begin);
      else
        kernels().store(want, reinterpret_cast<const float*>(offset(from, have)), offset(to, want),
                        range.end - range.begin);
    });
  });
}

DType DnnlStep::native(DType dtype) const {
  if (dtype == DType::bf16 && processor().native_bf16 && !emulate_) return dtype;
  return DType::f32;
}

DnnlStep::Pointer DnnlStep::operand(std::byte* address, DType dtype, std::int64_t elements) {
  if (native(dtype) == dtype) return fixed(address);
  const Pointer wide = scratch(static_cast<std::size_t>(elements) * sizeof(float));
  convert(fixed(address), dtype, wide, DType::f32, elements);
  return wide;
}

DnnlStep::Pointer DnnlStep::result(std::byte* address, DType dtype, std::int64_t elements) {
  return native(dtype) == dtype ? fixed(address)
                                : scratch(static_cast<std::size_t>(elements) * sizeof(float));
}

void DnnlStep::finish(const Pointer& computed, std::byte* address, DType dtype, std::int64_t elements) {
  if (native(dtype) != dtype) convert(computed, DType::f32, fixed(address), dtype, elements);
}

StepPointer make_contraction_step(const StepContext& context, const Item& item) {
  const Op op = context.graph.node(item.node).op;
  if (op == Op::matmul) return make_matmul_step(context, item);
  if (op == Op::conv2d || op == Op::conv2d_input_gradient || op == Op::conv2d_weight_gradient)
    return make_convolution_step(context, item);
  no_way_to_run(op);
}

}  // namespace halfling::cpu
