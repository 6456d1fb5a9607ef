// SPDX-License-Identifier: Apache-2.0
// Components as the runtime uses them: each function of an interface calls the plugin's own through its
// Boundary and checks what comes back. A function that is added to an interface is added here, too.
#pragma once

#include <memory>
#include <utility>

#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "halfling/dataset.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/optimizer.hpp"
#include "halfling/precision.hpp"
#include "halfling/reporter.hpp"
#include "halfling/transform.hpp"
#include "plugin/boundary.hpp"

namespace halfling {

/// What all of them are: the plugin's object behind its boundary.
template <class Interface>
class Guarded : public Interface {
 public:
  Guarded(const Boundary& boundary, std::unique_ptr<Interface> inner)
      : boundary_(boundary), inner_(std::move(inner)) {}
  ~Guarded() override {
    const CallInProgress in_progress(boundary_.here("its destructor"));
    inner_.reset();
  }

 protected:
  template <class Function>
  decltype(auto) call(const char* name, Function&& function) const {
    return boundary_.call(name,
                          [&]() -> decltype(auto) { return std::forward<Function>(function)(*inner_); });
  }
  const Boundary& boundary() const { return boundary_; }

 private:
  Boundary boundary_;
  std::unique_ptr<Interface> inner_;
};

std::unique_ptr<Architecture> guard(const Boundary& boundary, std::unique_ptr<Architecture> inner);
std::unique_ptr<Backend> guard(const Boundary& boundary, std::unique_ptr<Backend> inner);
/// Asks for size, shape and classes once and for all, and throws Error where they are impossible.
std::unique_ptr<Dataset> guard(const Boundary& boundary, std::unique_ptr<Dataset> inner);
std::unique_ptr<LossScaler> guard(const Boundary& boundary, std::unique_ptr<LossScaler> inner);
std::unique_ptr<Optimizer> guard(const Boundary& boundary, std::unique_ptr<Optimizer> inner);
std::unique_ptr<PrecisionPolicy> guard(const Boundary& boundary, std::unique_ptr<PrecisionPolicy> inner);
std::unique_ptr<Reporter> guard(const Boundary& boundary, std::unique_ptr<Reporter> inner);
std::unique_ptr<Transform> guard(const Boundary& boundary, std::unique_ptr<Transform> inner);

}  // namespace halfling
