// SPDX-License-Identifier: Apache-2.0
// Backend "cpu": oneDNN 3 for contractions, fused tile loops for the rest.
#include "halfling/backend.hpp"

#include <fmt/format.h>

#include "processor.hpp"
#include "session.hpp"

namespace halfling::cpu {
namespace {

constexpr OptionDeclaration options[] = {
    {"threads", OptionType::integer, "", "0",
     "compute threads; 0: OMP_NUM_THREADS, else as many as the process may use", 0, 4096},
    {"emulate", OptionType::boolean, "", "false",
     "compute half formats in float32 even where they are native"},
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const Options& options)
      : team_(static_cast<int>(options.integer("threads"))), emulate_(options.boolean("emulate")) {}

  std::vector<Device> devices() const override {
    const Processor& p = processor();
    Device device;
    device.threads = team_.threads();
    device.name = fmt::format("{}, {} thread{}", p.name, device.threads, device.threads == 1 ? "" : "s");
    device.memory = p.memory;
    device.formats[DType::f32] = FormatSupport::native;
    device.formats[DType::bf16] =
        p.native_bf16 && !emulate_ ? FormatSupport::native : FormatSupport::emulated;
    device.formats[DType::f16] = FormatSupport::emulated;
    device.library = p.library;
    return {device};
  }

  int preference() const override { return 10; }
  std::string refusal(const Graph& graph, const Node& node) const override { return refusal_of(graph, node); }

  std::unique_ptr<Session> open(int) override { return std::make_unique<CpuSession>(team_, emulate_); }

 private:
  Team team_;
  bool emulate_;
};

}  // namespace
}  // namespace halfling::cpu

using halfling::cpu::CpuBackend;
HALFLING_PLUGIN(CpuBackend, "cpu", HALFLING_VERSION,
                "oneDNN on the processor: float32, bfloat16 where native", halfling::cpu::options)
