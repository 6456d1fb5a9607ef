// SPDX-License-Identifier: Apache-2.0
#include "halfling/option.hpp"

#include <stdexcept>

namespace halfling {
namespace {

template <class T>
const T& as(const OptionValue& value, std::string_view name, const char* type) {
  if (const T* held = std::get_if<T>(&value)) return *held;
  throw std::logic_error("option \"" + std::string(name) + "\" is asked for as " + type + ", and is none");
}

}  // namespace

const OptionValue& Options::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::logic_error("option \"" + std::string(name) + "\" is asked for, but not declared");
  }
  return found->second;
}

bool Options::boolean(std::string_view name) const {
  return as<bool>(at(name), name, "boolean");
}

std::int64_t Options::integer(std::string_view name) const {
  return as<std::int64_t>(at(name), name, "integer");
}

double Options::number(std::string_view name) const {
  const OptionValue& value = at(name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return as<double>(value, name, "number");
}

const std::string& Options::string(std::string_view name) const {
  return as<std::string>(at(name), name, "string");
}

const std::vector<std::string>& Options::strings(std::string_view name) const {
  return as<std::vector<std::string>>(at(name), name, "list of strings");
}

const std::vector<double>& Options::numbers(std::string_view name) const {
  return as<std::vector<double>>(at(name), name, "list of numbers");
}

}  // namespace halfling
