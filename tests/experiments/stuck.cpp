// SPDX-License-Identifier: Apache-2.0
// A backend that fails when it is asked for its devices.
#include <stdexcept>

#include "halfling/backend.hpp"

namespace {

using namespace halfling;

class Stuck final : public Backend {
 public:
  explicit Stuck(const Options&) {}
  std::vector<Device> devices() const override { throw std::runtime_error("the bus is stuck"); }
  int preference() const override { return 1; }
  std::string refusal(const Graph&, const Node&) const override { return {}; }
  std::unique_ptr<Session> open(int) override { return nullptr; }
};

}  // namespace

HALFLING_PLUGIN(Stuck, "stuck", "1.0.0", "a backend that fails", no_options)
