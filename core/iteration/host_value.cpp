// SPDX-License-Identifier: Apache-2.0
#include "iteration/host_value.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace halfling {
namespace {

const ValueInfo& port_info(const Graph& graph, const std::vector<Port>& ports, std::string_view name) {
  const auto found = std::ranges::find(ports, name, &Port::name);
  if (found == ports.end()) throw std::logic_error("the graph has no port " + std::string(name));
  return graph.value(found->value);
}

}  // namespace

const ValueInfo& output_info(const Graph& graph, std::string_view name) {
  return port_info(graph, graph.outputs(), name);
}

const ValueInfo& input_info(const Graph& graph, std::string_view name) {
  return port_info(graph, graph.inputs(), name);
}

std::vector<double> to_numbers(std::span<const std::byte> bytes, DType type) {
  return with_storage(type, [&]<class Storage>(Storage) {
    using Element = typename Storage::Element;
    std::vector<double> numbers(bytes.size() / sizeof(Element));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Element element;
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      numbers[i] = Storage::value(element);
    }
    return numbers;
  });
}

std::vector<double> read_numbers(Executable& executable, const Graph& graph, std::string_view output,
                                 int runs_ago) {
  const ValueInfo& info = output_info(graph, output);
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.shape.elements()) * size_of(info.dtype));
  runs_ago == 0 ? executable.read(output, bytes) : executable.read_previous(output, bytes);
  return to_numbers(bytes, info.dtype);
}

double read_number(Executable& executable, const Graph& graph, std::string_view output, int runs_ago) {
  return read_numbers(executable, graph, output, runs_ago).front();
}

}  // namespace halfling
