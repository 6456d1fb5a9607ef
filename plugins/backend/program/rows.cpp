// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include "program.hpp"

namespace halfling::program {

Rows rows_of(const Graph& graph, const Program& program, const std::vector<std::byte*>& addresses,
             const Item& item) {
  const Node& node = graph.node(item.node);
  const auto& attributes = std::get<AxisAttributes>(node.attributes);
  const Slot& result = program.slot(item.out[0]);
  const int axis = physical_axis(result.logical, attributes.axis);
  auto inner = static_cast<std::int64_t>(size_of(result.dtype));
  for (int i = result.shape.rank() - 1; i > axis; --i) inner *= result.shape[i];
  const auto address = [&](Ref ref) { return addresses[static_cast<std::size_t>(program.place(ref))]; };

  Rows rows;
  rows.bytes = result.shape[axis] * inner;
  for (int i = 0; i < axis; ++i) rows.count *= result.shape[i];
  if (node.op == Op::slice) {
    const std::int64_t stride = program.slot(item.in[0]).shape[axis] * inner;
    rows.parts.push_back({address(item.in[0]) + attributes.begin * inner, stride, 0, rows.bytes});
    return rows;
  }
  std::int64_t begin = 0;
  for (const Ref ref : item.in) {
    const std::int64_t bytes = program.slot(ref).shape[axis] * inner;
    rows.parts.push_back({is_zero(program.slot(ref)) ? nullptr : address(ref), bytes, begin, begin + bytes});
    begin += bytes;
  }
  return rows;
}

}  // namespace halfling::program
