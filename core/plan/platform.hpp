// SPDX-License-Identifier: Apache-2.0
// What computes: backend, device, precision policy, and the architecture that it computes. Training and
// sampling start from the same platform.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/world.hpp"
#include "experiment/experiment.hpp"
#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "halfling/precision.hpp"
#include "plugin/registry.hpp"

namespace halfling {

struct Platform {
  std::unique_ptr<Backend> backend;
  std::string backend_name;  ///< never "auto"
  std::string choice;        ///< why this backend, for people
  /// With "auto": the backends that would have been preferred, and what they lack: "cudnn: no NVIDIA …".
  std::vector<std::string> passed_over;
  int device_index = 0;
  Device device;
  std::unique_ptr<PrecisionPolicy> policy;  ///< bound to the device
  std::vector<std::string> emulated;        ///< formats of the policy that the device only emulates
  std::unique_ptr<Architecture> architecture;
  World world;

  bool native() const { return emulated.empty(); }
};

/// Throws Error (usage) where no backend has a device, and where the device lacks a format of the policy.
Platform make_platform(const Experiment& experiment, const Registry& registry, World world = {});

}  // namespace halfling
