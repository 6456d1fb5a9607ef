// SPDX-License-Identifier: Apache-2.0
// A compiled graph: fused, placed, and turned into steps, all before the first run.
#include "executable.hpp"

#include <algorithm>
#include <map>

#include "outputs.hpp"
#include "program/compile.hpp"
#include "program/states.hpp"
#include "runner.hpp"
#include "transfer_kernels.hpp"
#include "uploads.hpp"

namespace halfling::cudnn {
namespace {

/// cuBLAS adds in every format.
bool is_float_format(DType type) {
  return is_float(type);
}

class CudnnExecutable final : public Executable {
 public:
  CudnnExecutable(const Graph& graph, StateLookup states, const Resources& resources)
      : resources_(resources),
        states_(std::move(states)),
        compiled_(program::compile(graph, states_, resources.memory,
                                   {.adds = is_float_format, .groups_updates = true})),
        halves_(graph, states_, compiled_.program),
        arena_(compiled_.arena.bytes),
        addresses_(compiled_.addresses(arena_.data())),
        outputs_(compiled_, addresses_) {
    for (const std::string& name : compiled_.inputs) {
      const Slot& slot = compiled_.input(name);
      uploads_.try_emplace(name, slot, address(slot));
    }
    const StepContext context{{graph, compiled_.program, addresses_}, resources.libraries};
    std::vector<StepPointer> steps;
    for (const Cluster& cluster : compiled_.clusters) steps.push_back(make_step(context, cluster));
    std::size_t scratch = 0;
    for (const StepPointer& step : steps) scratch = std::max(scratch, step->scratch_bytes());
    scratch_ = DeviceBuffer(scratch);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i]->use_scratch(scratch_.data());
      table_bytes_ += steps[i]->device_bytes();
      entries_.push_back(
          profile_entry(graph, compiled_.program, compiled_.clusters[i].items, steps[i]->implementation()));
    }
    runner_.emplace(
        std::move(steps), [this](cudaStream_t stream) { outputs_.pack(stream); }, resources.capture);
  }

  ~CudnnExecutable() override { ignore(cudaStreamSynchronize(stream())); }

  void write(std::string_view input, std::span<const std::byte> data) override {
    check_size("cudnn", input, data.size(), bytes_of(compiled_.input(input)));
    uploads_.find(input)->second.write(resources_.uploads, data);
  }

  void run() override {
    for (auto& [name, upload] : uploads_) upload.consume(stream());
    halves_.refresh([this](const StateMemory& state, HalfCopy& half) {
      launch_convert(stream(), reinterpret_cast<const float*>(state.block.data()), half.block.data(),
                     half.dtype, state.logical.elements());
    });
    if (profiling_) {
      runner_->run_timed(stream(), seconds_);
      ++profiled_runs_;
    } else {
      runner_->run(stream());
    }
    outputs_.fetch(stream());
    halves_.mark();
  }

  void read(std::string_view output, std::span<std::byte> data) override {
    outputs_.read(stream(), output, data, 0);
  }
  bool asynchronous() const override { return true; }
  void read_previous(std::string_view output, std::span<std::byte> data) override {
    outputs_.read(stream(), output, data, 1);
  }

  MemoryUse memory() const override {
    MemoryUse use;
    for (const auto& state : states_) use.states += state->block.bytes();
    use.arena = arena_.size();
    use.workspace = scratch_.size() + table_bytes_ + outputs_.device_bytes() + resources_.library_bytes;
    for (const Block& block : compiled_.program.blocks) use.workspace += block.bytes();
    for (const HalfCopy* half : compiled_.program.kept)
      use.workspace += half == nullptr ? 0 : half->block.bytes();
    for (const auto& [name, upload] : uploads_) use.workspace += upload.device_bytes();
    return use;
  }

  void profile(bool on) override {
    profiling_ = on;
    if (!on) return;
    profiled_runs_ = 0;
    seconds_.assign(entries_.size(), 0);
  }
  std::vector<ProfileEntry> profile() const override {
    std::vector<ProfileEntry> result = entries_;
    for (std::size_t i = 0; i < seconds_.size(); ++i)
      result[i].seconds = seconds_[i] / std::max(profiled_runs_, 1);
    return result;
  }
  std::string remark() const override { return runner_->remark(); }
  void spoil() override {
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    arena_.spoil();
    scratch_.spoil();
    outputs_.spoil();
  }

 private:
  cudaStream_t stream() const { return resources_.libraries.stream; }
  std::byte* address(const Slot& slot) const {
    return addresses_[static_cast<std::size_t>(compiled_.program.slot(slot.root).place)];
  }

  Resources resources_;
  StateLookup states_;
  Compiled compiled_;
  HalfCopies halves_;
  DeviceBuffer arena_, scratch_;
  std::size_t table_bytes_ = 0;  ///< of the steps
  std::vector<std::byte*> addresses_;
  Outputs outputs_;
  std::map<std::string, Upload, std::less<>> uploads_;
  std::vector<ProfileEntry> entries_;
  std::optional<Runner> runner_;
  bool profiling_ = false;
  int profiled_runs_ = 0;
  std::vector<double> seconds_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const Graph& graph, StateLookup states,
                                            const Resources& resources) {
  return std::make_unique<CudnnExecutable>(graph, std::move(states), resources);
}

}  // namespace halfling::cudnn
