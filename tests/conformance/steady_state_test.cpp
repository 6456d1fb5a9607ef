// SPDX-License-Identifier: Apache-2.0
// Once compiled, the cpu backend only runs: an iteration allocates nothing (beyond what oneDNN allocates
// inside its own calls) and creates no primitive.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "train/trial.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

bool inside_onednn(void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 &&
         std::string_view(info.dli_fname).find("libdnnl") != std::string_view::npos;
}

void* allocate(std::size_t bytes, std::size_t alignment, void* caller) {
  if (counting && !inside_onednn(caller)) ++allocations;
  void* memory = alignment == 0
                     ? std::malloc(bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, 0, __builtin_return_address(0));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

using namespace halfling;

constexpr const char* experiment_text = R"(
experiment.name = "steady"
backend.use = "cpu"
dataset = {use = "synthetic", samples = 64, size = 28}
architecture = {use = "acgan", z_dim = 12, fc_width = 32, first_channels = 16, second_channels = 16}
loss_scaler.use = "dynamic"
optimizer.use = "adam"
precision.use = "fp32"
input.batch_size = 16
budget.iterations = 1
)";

/// The standard output that an action writes, libraries included.
std::string written_by(auto&& action) {
  char name[] = "/tmp/halfling-steady-XXXXXX";
  const int file = mkstemp(name), standard = dup(STDOUT_FILENO);
  std::fflush(stdout);
  dup2(file, STDOUT_FILENO);
  action();
  std::fflush(stdout);
  dup2(standard, STDOUT_FILENO);
  close(standard);
  close(file);
  std::ifstream stream(name);
  std::stringstream text;
  text << stream.rdbuf();
  std::remove(name);
  return text.str();
}

void check(const std::string& precision, bool emulate) {
  CAPTURE(precision);
  setenv("ONEDNN_VERBOSE", "2", 1);  // lines for primitives created and executed
  char file[] = "/tmp/halfling-steady-XXXXXX.toml";
  close(mkstemps(file, 5));
  std::ofstream(file) << experiment_text;
  const Registry registry = Registry::scan();
  const LoadedExperiment loaded = load_experiment(
      {file, {"precision.use=" + precision, std::string("backend.emulate=") + (emulate ? "true" : "false")}},
      registry);
  std::remove(file);
  std::unique_ptr<Trial> trial;
  const std::string made = written_by([&] {
    trial = std::make_unique<Trial>(loaded.trials[0], registry);
    for (int i = 0; i < 3; ++i) trial->iterate();
  });
  CHECK(made.find("create:") != std::string::npos);  // the lines are there where primitives are made
  const std::string ran = written_by([&] {
    counting = true;
    for (int i = 0; i < 3; ++i) trial->executable().run();
    counting = false;
  });
  CHECK(ran.find("exec,") != std::string::npos);
  CHECK(ran.find("create:") == std::string::npos);
  CHECK(allocations.load() == 0);
}

}  // namespace

TEST_CASE("an iteration in fp32 allocates nothing") {
  check("fp32", false);
}
TEST_CASE("an iteration in mixed precision allocates nothing") {
  check("mixed", false);
}
TEST_CASE("an iteration in emulated mixed precision allocates nothing") {
  check("mixed", true);
}
