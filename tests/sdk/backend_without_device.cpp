// SPDX-License-Identifier: Apache-2.0
// A backend as it is on a machine without its device.
#include "halfling/backend.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;

class Absent final : public Backend {
 public:
  explicit Absent(const Options&) {}
  std::vector<Device> devices() const override { return {}; }
  std::string unavailable() const override { return "the driver is missing"; }
  int preference() const override { return 1; }
  std::string refusal(const Graph&, const Node&) const override { return unavailable(); }
  std::unique_ptr<Session> open(int) override { throw Error({.what = unavailable()}); }
};

}  // namespace

HALFLING_PLUGIN(Absent, "absent", "1.0.0", "a backend without a device", no_options)
