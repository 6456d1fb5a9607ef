// SPDX-License-Identifier: Apache-2.0
// Checkpoints are written from a snapshot that shares nothing with the session.
#include <doctest/doctest.h>

#include <cstring>
#include <map>

#include "run/checkpoint_writer.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// States in memory, and how often each was read.
class Memory final : public Session {
 public:
  std::unique_ptr<Executable> compile(const Graph&) override { return nullptr; }
  void write_state(std::string_view name, std::span<const std::byte> data) override {
    states[std::string(name)].assign(data.begin(), data.end());
  }
  void read_state(std::string_view name, std::span<std::byte> data) const override {
    ++reads[std::string(name)];
    const std::vector<std::byte>& state = states.at(std::string(name));
    REQUIRE(state.size() == data.size());
    std::ranges::copy(state, data.begin());
  }
  void fill(const std::vector<State>& infos, std::uint8_t value) {
    for (const State& info : infos)
      states[info.name].assign(static_cast<std::size_t>(info.shape.elements()) * size_of(info.dtype),
                               std::byte{value});
  }

  std::map<std::string, std::vector<std::byte>> states;
  mutable std::map<std::string, int> reads;
};

std::vector<State> some_states() {
  State weight, count, scale;
  weight.name = "g.weight", weight.dtype = DType::f32, weight.shape = {3, 5};
  count.name = "count", count.dtype = DType::i32, count.shape = {};
  scale.name = "d.scale", scale.dtype = DType::f16, scale.shape = {7};
  return {weight, count, scale};
}

CheckpointLabel label_of(std::int64_t iteration) {
  return {iteration, 2, "abc", {8, {1, 8, 8}, 2}, {"a", "b"}};
}

}  // namespace

TEST_CASE("a snapshot reads each state once, and keeps it") {
  Memory memory;
  const std::vector<State> states = some_states();
  memory.fill(states, 1);
  Snapshot snapshot;
  snapshot.read(label_of(3), states, memory);
  memory.fill(states, 2);
  CHECK(memory.reads == std::map<std::string, int>{{"g.weight", 1}, {"count", 1}, {"d.scale", 1}});
  CHECK(snapshot.size() == 60 + 4 + 14);
  CHECK(Snapshot::size_of(states) == snapshot.size());
  CHECK(snapshot.tensors().front().name == "count");
  REQUIRE(snapshot.bytes("g.weight").size() == 60);
  CHECK(snapshot.bytes("g.weight")[59] == std::byte{1});
  CHECK(snapshot.bytes("d.scale").size() == 14);
  const Snapshot copy = snapshot;
  const std::byte* const data = snapshot.bytes("count").data();
  snapshot.read(label_of(4), states, memory);
  CHECK(snapshot.bytes("count").data() == data);  // the memory is used again
  CHECK(snapshot.bytes("count")[0] == std::byte{2});
  CHECK(copy.bytes("count")[0] == std::byte{1});
  CHECK(copy.label().iteration == 3);
  CHECK_THROWS_AS(snapshot.bytes("absent"), std::logic_error);
}

TEST_CASE("a checkpoint holds the states of its moment, though training goes on while it is written") {
  const Scratch scratch;
  const fs::path folder = scratch / "checkpoints";  // made when it is needed
  Memory memory;
  const std::vector<State> states = some_states();
  CheckpointWriter writer(folder, {2});
  CHECK(!writer.written());
  for (std::uint8_t i = 1; i <= 4; ++i) {
    memory.fill(states, i);
    writer.begin(label_of(i), states, memory);
    memory.fill(states, 99);
    const auto written = writer.finish();
    REQUIRE(written.has_value());
    CHECK(written->iteration == i);
    CHECK(written->bytes == 78);
    CHECK(written->seconds >= 0);
    CHECK(written->file == folder / (std::to_string(i) + ".safetensors"));
    CHECK(!writer.finish());  // told once
  }
  CHECK(!fs::exists(folder / "2.safetensors"));
  CHECK(fs::exists(folder / "3.safetensors"));
  const auto newest = newest_checkpoint(folder);
  REQUIRE(newest.has_value());
  CHECK(read_label(*newest).iteration == 4);
  Memory loaded;
  load_states(*newest, states, loaded);
  memory.fill(states, 4);
  CHECK(loaded.states == memory.states);
}

TEST_CASE("a checkpoint that cannot be written is told when it is asked for, and the next one may succeed") {
  const Scratch scratch;
  const fs::path folder = scratch / "checkpoints";
  write_file(folder, "in the way");
  Memory memory;
  const std::vector<State> states = some_states();
  memory.fill(states, 1);
  {
    CheckpointWriter writer(folder, {2});
    writer.begin(label_of(1), states, memory);
    CHECK_THROWS_AS(writer.begin(label_of(2), states, memory), std::logic_error);
    ErrorDetails error;
    for (int tries = 0; error.what.empty() && tries < 1000000; ++tries)
      error = error_of([&] { writer.written(); });  // asks without waiting
    CHECK(error.what == "a file cannot be created");
    CHECK(error.where == (folder / "1.safetensors").string());
    CHECK(!writer.finish());
    fs::remove(folder);
    writer.begin(label_of(3), states, memory);
  }  // waits
  CHECK(read_label(folder / "3.safetensors").iteration == 3);
}
