// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device_memory.hpp"
#include "program/states.hpp"
#include "transfer_kernels.hpp"

namespace halfling::cudnn {
namespace {

constexpr std::size_t small = 4096;  // bytes: a loss, a counter, a histogram

}  // namespace

Outputs::Outputs(const program::Compiled& compiled, const std::vector<std::byte*>& addresses) {
  std::vector<Piece> pieces;
  std::int64_t packed = 0;
  for (std::size_t i = 0; i < compiled.outputs.size(); ++i) {
    const program::Program& program = compiled.program;
    const program::Slot& slot = program.slot(program.outputs[i]);
    const std::byte* from = addresses[static_cast<std::size_t>(program.place(program.outputs[i]))];
    const std::size_t bytes = bytes_of(slot);
    outputs_.push_back({compiled.outputs[i], slot, from, bytes <= small ? packed : -1});
    if (bytes > small) continue;
    pieces.push_back(
        {reinterpret_cast<const unsigned char*>(from), packed, static_cast<std::int64_t>(bytes)});
    packed += static_cast<std::int64_t>((bytes + 15) / 16 * 16);
  }
  count_ = static_cast<int>(pieces.size());
  pieces_ = DeviceBuffer(pieces.size() * sizeof(Piece));
  if (count_ > 0) upload(pieces.data(), pieces_.data(), pieces_.size());
  packed_ = DeviceBuffer(static_cast<std::size_t>(packed));
  for (Kept& kept : kept_) kept = {PinnedBuffer(packed_.size()), make_event()};
}

void Outputs::pack(cudaStream_t stream) {
  launch_pack(stream, reinterpret_cast<const Piece*>(pieces_.data()), count_,
              reinterpret_cast<unsigned char*>(packed_.data()));
}

void Outputs::fetch(cudaStream_t stream) {
  if (count_ == 0) return;
  turn_ = 1 - turn_;
  const Kept& kept = kept_[turn_];
  check(cudaMemcpyAsync(kept.memory.data(), packed_.data(), packed_.size(), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaEventRecord(kept.done.get(), stream), "cudaEventRecord");
}

void Outputs::read(cudaStream_t stream, std::string_view name, std::span<std::byte> data, int ago) const {
  const Output& output = find(name);
  const program::Slot& slot = output.slot;
  program::check_size("cudnn", name, data.size(), bytes_of(slot));
  if (output.offset >= 0) {
    const Kept& kept = kept_[ago == 0 ? turn_ : 1 - turn_];
    check(cudaEventSynchronize(kept.done.get()), "cudaEventSynchronize");
    program::to_logical(slot.logical, size_of(slot.dtype), kept.memory.data() + output.offset, data.data());
    return;
  }
  if (ago != 0)
    throw Error({.what = "only small outputs are kept of the run before the last",
                 .where = std::string(name),
                 .got = fmt::format("{} bytes", data.size()),
                 .expected = fmt::format("at most {} bytes", small)});
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<std::byte> physical(data.size());
  check(cudaMemcpy(physical.data(), output.from, data.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  program::to_logical(slot.logical, size_of(slot.dtype), physical.data(), data.data());
}

void Outputs::spoil() {
  packed_.spoil();
  for (const Kept& kept : kept_) std::fill_n(kept.memory.data(), kept.memory.size(), std::byte{0xff});
}

const Outputs::Output& Outputs::find(std::string_view name) const {
  for (const Output& output : outputs_)
    if (output.name == name) return output;
  throw Error({.what = fmt::format("the graph has no output \"{}\"", name), .where = "backend cudnn"});
}

}  // namespace halfling::cudnn
