// SPDX-License-Identifier: Apache-2.0
// Backend "cpu": oneDNN 3 for contractions, fused tile loops for the rest.
#include "halfling/backend.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "processor.hpp"
#include "session.hpp"

namespace halfling::cpu {
namespace {

constexpr OptionDeclaration options[] = {
    {"threads", OptionType::integer, "", "0", "compute threads; 0: as many as the process may use", 0, 4096},
    {"emulate", OptionType::boolean, "", "false",
     "compute half formats in float32 even where they are native"},
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const Options& options)
      : threads_(static_cast<int>(options.integer("threads"))), emulate_(options.boolean("emulate")) {
    if (threads_ == 0) threads_ = usable_threads();
  }

  std::vector<Device> devices() const override {
    const Processor& p = processor();
    Device device;
    device.name = fmt::format("{}, {} thread{}", p.name, threads_, threads_ == 1 ? "" : "s");
    device.memory = p.memory;
    device.f32 = FormatSupport::native;
    device.bf16 = p.native_bf16 && !emulate_ ? FormatSupport::native : FormatSupport::emulated;
    device.f16 = FormatSupport::emulated;
    device.library = p.library;
    return {device};
  }

  int preference() const override { return 10; }
  std::string refusal(const Graph& graph, const Node& node) const override { return refusal_of(graph, node); }

  std::unique_ptr<Session> open(int) override {
    omp_set_num_threads(threads_);  // oneDNN's team, too
    return std::make_unique<CpuSession>(threads_, emulate_);
  }

 private:
  int threads_;
  bool emulate_;
};

}  // namespace
}  // namespace halfling::cpu

using halfling::cpu::CpuBackend;
HALFLING_PLUGIN(CpuBackend, "cpu", HALFLING_VERSION,
                "oneDNN on the processor: float32, bfloat16 where native", halfling::cpu::options)
