// SPDX-License-Identifier: Apache-2.0
// The device that cuDNN is asked about.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "descriptor.hpp"

namespace halfling::cudnn {

/// A live device, or one that is only described: for that one plans are chosen as for a live one, without a
/// GPU or a driver, but nothing runs. Describe one device per process: cuDNN keeps some of the first one's
/// properties.
class Target {
 public:
  /// The device of the handle, which must outlive the target and the plans.
  Target(std::string name, cudnnHandle_t handle) : name_(std::move(name)), device_(handle) {}
  /// `properties`: JSON text as cuDNN's DEVICEPROP descriptor takes it.
  static Target described(std::string name, std::string_view properties);

  const std::string& name() const { return name_; }
  // Each descriptor is told its device in a way of its own.
  void set_in_graph(Descriptor& graph) const;
  void set_in_heuristics(Descriptor& heuristics) const;
  void set_in_plan(Descriptor& plan) const;

 private:
  Target(std::string name, Descriptor properties) : name_(std::move(name)), device_(std::move(properties)) {}

  std::string name_;
  std::variant<cudnnHandle_t, Descriptor> device_;
};

}  // namespace halfling::cudnn
