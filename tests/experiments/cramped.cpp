// SPDX-License-Identifier: Apache-2.0
// A backend whose device has as little memory as a test wants, for what is checked before anything is
// compiled.
#include "halfling/backend.hpp"
#include "halfling/error.hpp"

namespace {

using namespace halfling;

class Cramped final : public Backend {
 public:
  explicit Cramped(const Options& options) : memory_(static_cast<std::uint64_t>(options.integer("memory"))) {}
  std::vector<Device> devices() const override {
    return {
        {.name = "a cramped device", .memory = memory_, .formats = {{DType::f32, FormatSupport::native}}}};
  }
  int preference() const override { return -1; }
  std::string refusal(const Graph&, const Node&) const override { return {}; }
  std::unique_ptr<Session> open(int) override { throw Error({.what = "this device only tells its memory"}); }

 private:
  std::uint64_t memory_;
};

constexpr OptionDeclaration options[] = {{"memory", OptionType::size, "", nullptr, "of the device", 1}};

}  // namespace

HALFLING_PLUGIN(Cramped, "cramped", "1.0.0", "a device with little memory", options)
