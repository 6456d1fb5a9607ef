// SPDX-License-Identifier: Apache-2.0
// The real plugin, as nvcc built it, in the real program: it loads on a machine without a driver, and says
// what is missing.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include "../experiments/program.hpp"
#include "cudnn/gpu_library.hpp"

namespace {

using namespace halfling::test;

/// Whether a GPU answers, so that nothing is missing.
bool has_gpu(const Scratch& scratch) {
  const auto found = nlohmann::json::parse(call(scratch, {"devices", "--format", "json"}).out);
  for (const auto& backend : found)
    if (backend["backend"] == "cudnn") return !backend["devices"].empty();
  FAIL("backend cudnn is not listed");
  return false;
}

}  // namespace

TEST_CASE("it loads, and is described") {
  const Scratch scratch;
  const Outcome described = call(scratch, {"plugins", "describe", "cudnn"});
  CHECK(described.status == 0);
  CHECK(contains(described.out, "timed_plans"));
}

TEST_CASE("its library loads without a driver, and finds cuDNN") {
  void* const library = ::dlopen(HALFLING_CUDNN_ENGINE, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, ::dlerror());
  const auto* library_table =
      static_cast<const halfling::cudnn::GpuLibrary*>(::dlsym(library, "halfling_cudnn_library"));
  REQUIRE(library_table != nullptr);
  CHECK(contains(library_table->versions(), "cuDNN 9."));
}

TEST_CASE("without a GPU it says what is missing") {
  const Scratch scratch;
  if (has_gpu(scratch)) return;
  const Outcome devices = call(scratch, {"devices"});
  CHECK(contains(devices.out, "cudnn: no device; "));
  CHECK(contains(devices.out, "driver"));

  const Outcome run =
      call(scratch, {"run", HALFLING_EXPERIMENTS "/quickdraw-mixed.toml", "--set", "backend.use=cudnn"});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "the backend has no device here"));
  CHECK(contains(run.err, "driver"));
}
