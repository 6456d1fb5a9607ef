// SPDX-License-Identifier: Apache-2.0
#include "train/host_value.hpp"

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

template <class T, class Convert>
std::vector<double> convert(std::span<const std::byte> bytes, Convert function) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(function(element));
  }
  return numbers;
}

}  // namespace

const ValueInfo& output_info(const Graph& graph, std::string_view name) {
  return port_info(graph, graph.outputs(), name);
}

const ValueInfo& input_info(const Graph& graph, std::string_view name) {
  return port_info(graph, graph.inputs(), name);
}

std::vector<double> to_numbers(std::span<const std::byte> bytes, DType type) {
  const auto same = [](auto element) { return element; };
  switch (type) {
    case DType::f64:
      return convert<double>(bytes, same);
    case DType::f32:
    case DType::tf32:
      return convert<float>(bytes, same);
    case DType::f16:
      return convert<std::uint16_t>(bytes, f16_value);
    case DType::bf16:
      return convert<std::uint16_t>(bytes, bf16_value);
    case DType::i32:
      return convert<std::int32_t>(bytes, same);
    case DType::u8:
    case DType::boolean:
      break;
  }
  return convert<std::uint8_t>(bytes, same);
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
