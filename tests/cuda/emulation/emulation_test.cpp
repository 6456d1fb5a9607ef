// SPDX-License-Identifier: Apache-2.0
// The emulation of the CUDA runtime must be as strict as the runtime, or it proves nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "cudnn/device_buffer.hpp"
#include "cudnn/launch.hpp"
#include "halfling/error.hpp"

using namespace halfling;
using namespace halfling::cudnn;

namespace {

struct AddOne {
  float* x;
  HALFLING_DEVICE void operator()(std::int64_t i) const { x[i] += 1; }
};

/// Writes what the shared memory holds at first, and the sum of the threads' numbers.
struct BlockSum {
  float* first;
  int* sum;
  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    float* parts = block.shared<float>();
    block.each([&](int thread) {
      if (thread == 0) first[block.index] = parts[0];
    });
    block.each([&](int thread) { parts[thread] = static_cast<float>(thread); });
    block.each([&](int thread) {
      atomic_add(&sum[block.index], static_cast<int>(parts[block.threads - 1 - thread]));
    });
  }
};

/// Wrong: what it reads another thread writes.
struct ReadNeighbour {
  static constexpr int threads = 4;
  float* x;
  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    block.each([&](int thread) { x[thread] += x[(thread + 1) % block.threads]; });
  }
};

template <class T>
T* as(const DeviceBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}

/// The device's numbers, once the stream has done its work.
template <class T>
std::vector<T> fetch(const Stream& stream, const DeviceBuffer& buffer) {
  std::vector<T> host(buffer.size() / sizeof(T));
  check(cudaMemcpyAsync(host.data(), buffer.data(), buffer.size(), cudaMemcpyDeviceToHost, stream.get()),
        "copy");
  check(cudaStreamSynchronize(stream.get()), "wait");
  return host;
}

CudaGraph capture_add_one(const Stream& stream, const DeviceBuffer& x, std::int64_t count) {
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  launch_elements(stream.get(), count, AddOne{as<float>(x)});
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  return CudaGraph(graph);
}

}  // namespace

TEST_CASE("work runs at a synchronisation, not before") {
  const Stream stream = make_stream();
  const DeviceBuffer x(3 * sizeof(float));
  const PinnedBuffer host(x.size());
  auto* values = reinterpret_cast<float*>(host.data());
  launch_elements(stream.get(), 3, AddOne{as<float>(x)});
  CHECK(cudaMemcpyAsync(host.data(), x.data(), x.size(), cudaMemcpyDeviceToHost, stream.get()) ==
        cudaSuccess);
  CHECK(values[0] == 0);
  CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
  CHECK(values[0] == 1);
  CHECK(values[2] == 1);
}

TEST_CASE("pinned memory is read when the copy runs, as early as it may, other memory when it is queued") {
  const Stream stream = make_stream(), other = make_stream();
  const DeviceBuffer x(3 * sizeof(float));
  const PinnedBuffer pinned(sizeof(float));
  const Event ready = make_event();
  auto& late = *reinterpret_cast<float*>(pinned.data());
  float early = 1;
  late = 1;
  check(cudaMemcpyAsync(x.data(), &late, 4, cudaMemcpyHostToDevice, stream.get()), "copy");
  check(cudaEventRecord(ready.get(), other.get()), "record");
  check(cudaStreamWaitEvent(stream.get(), ready.get(), 0), "wait");
  check(cudaMemcpyAsync(x.data() + 4, &early, 4, cudaMemcpyHostToDevice, stream.get()), "copy");
  check(cudaMemcpyAsync(x.data() + 8, &late, 4, cudaMemcpyHostToDevice, stream.get()), "copy");
  early = late = 2;
  CHECK(fetch<float>(stream, x) == std::vector<float>{1, 1, 2});
}

TEST_CASE("blocks begin with undefined shared memory and have barriers") {
  const Stream stream = make_stream();
  const DeviceBuffer first(2 * sizeof(float)), sum(2 * sizeof(int));
  launch_blocks(stream.get(), 2, 64, 64 * sizeof(float), BlockSum{as<float>(first), as<int>(sum)});
  for (const float value : fetch<float>(stream, first)) CHECK(std::isnan(value));
  for (const int value : fetch<int>(stream, sum)) CHECK(value == 64 * 63 / 2);
}

TEST_CASE("what depends on the order of threads differs from run to run") {
  const Stream stream = make_stream();
  const DeviceBuffer x(4 * sizeof(float));
  const std::vector<float> start = {1, 2, 3, 4};
  const auto run = [&] {
    check(cudaMemcpyAsync(x.data(), start.data(), x.size(), cudaMemcpyHostToDevice, stream.get()), "copy");
    launch_blocks(stream.get(), 1, 4, 0, ReadNeighbour{as<float>(x)});
    return fetch<float>(stream, x);
  };
  CHECK(run() != run());
}

TEST_CASE("a launch that no device can do is an error") {
  const Stream stream = make_stream();
  const BlockSum body{nullptr, nullptr};
  int nothing = 0;
  const auto no_stream = reinterpret_cast<cudaStream_t>(&nothing);
  CHECK_THROWS_AS(launch_blocks(stream.get(), 1, 1025, 0, body), Error);
  CHECK_THROWS_AS(launch_blocks(stream.get(), 1, 32, most_shared_bytes + 1, body), Error);
  CHECK_THROWS_AS(launch_blocks(no_stream, 1, 32, 0, body), Error);
  CHECK_THROWS_AS(launch_blocks(stream.get(), 1, 5, 0, ReadNeighbour{nullptr}), Error);
  CHECK_NOTHROW(launch_blocks(stream.get(), 0, 32, 0, body));
}

TEST_CASE("fresh memory is NaN until it is written") {
  void* memory = nullptr;
  float value = 0;
  REQUIRE(cudaMalloc(&memory, sizeof value) == cudaSuccess);
  CHECK(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::isnan(value));
  CHECK(cudaMemset(memory, 0, sizeof value) == cudaSuccess);
  CHECK(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 0);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
}

TEST_CASE("pointers must lie where the call says, with all their bytes") {
  const Stream stream = make_stream();
  const DeviceBuffer x(64);
  std::byte host[65];
  CHECK(cudaMemcpyAsync(host, x.data(), 64, cudaMemcpyHostToDevice, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(x.data(), host, 64, cudaMemcpyDeviceToHost, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(x.data(), host, 64, cudaMemcpyDeviceToDevice, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(x.data(), host, 65, cudaMemcpyHostToDevice, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(host, 0, 64, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(x.data() + 1, 0, 64, stream.get()) == cudaErrorInvalidValue);
  CHECK(cudaFree(host) == cudaErrorInvalidValue);
}

TEST_CASE("the last error stays until it is asked for") {
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);  // of the case before
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("memory ends where the environment says") {
  REQUIRE(setenv("HALFLING_EMULATED_MEMORY", "1000", 1) == 0);
  {
    const DeviceBuffer most(900);
    std::size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == 100);
    CHECK(total == 1000);
    try {
      const DeviceBuffer more(101);
      FAIL("there is no memory for it");
    } catch (const OutOfMemory& shortage) {
      CHECK(shortage.bytes() == 101);
      CHECK(shortage.free() == 100);
    }
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  CHECK_NOTHROW(DeviceBuffer(1000));
  unsetenv("HALFLING_EMULATED_MEMORY");
}

TEST_CASE("an event orders two streams") {
  const Stream first = make_stream(), second = make_stream();
  const DeviceBuffer x(sizeof(float)), copy(sizeof(float));
  const Event ready = make_event();
  launch_elements(first.get(), 1, AddOne{as<float>(x)});
  const auto queue_copy = [&] {
    check(cudaMemcpyAsync(copy.data(), x.data(), 4, cudaMemcpyDeviceToDevice, second.get()), "copy");
  };
  queue_copy();  // nothing says that it should wait
  CHECK(fetch<float>(second, copy)[0] == 0);
  check(cudaEventRecord(ready.get(), first.get()), "record");
  launch_elements(first.get(), 1, AddOne{as<float>(x)});  // after the event
  check(cudaStreamWaitEvent(second.get(), ready.get(), 0), "wait");
  queue_copy();
  CHECK(fetch<float>(second, copy)[0] == 1);
  CHECK(fetch<float>(first, x)[0] == 2);
}

TEST_CASE("who polls sees progress, and time is taken where it was asked for") {
  const Stream stream = make_stream();
  const DeviceBuffer x(sizeof(float));
  const Event start = make_event(true), end = make_event(true), untimed = make_event();
  CHECK(cudaEventQuery(end.get()) == cudaSuccess);  // never recorded
  check(cudaEventRecord(start.get(), stream.get()), "record");
  launch_elements(stream.get(), 1, AddOne{as<float>(x)});
  check(cudaEventRecord(end.get(), stream.get()), "record");
  check(cudaEventRecord(untimed.get(), stream.get()), "record");
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start.get(), end.get()) == cudaErrorNotReady);
  int polls = 0;
  while (cudaEventQuery(end.get()) == cudaErrorNotReady) ++polls;
  CHECK(polls == 3);
  CHECK(cudaEventElapsedTime(&milliseconds, start.get(), end.get()) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaEventElapsedTime(&milliseconds, start.get(), untimed.get()) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

TEST_CASE("a capture records, and its replay repeats") {
  const Stream stream = make_stream();
  const DeviceBuffer x(2 * sizeof(float));
  cudaGraphExec_t handle = nullptr;
  {
    const CudaGraph graph = capture_add_one(stream, x, 2);
    CHECK(fetch<float>(stream, x)[0] == 0);
    REQUIRE(cudaGraphInstantiate(&handle, graph.get(), 0) == cudaSuccess);
  }
  {
    const CudaGraphExec executable(handle);
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable.get(), stream.get()) == cudaSuccess);
  }
  CHECK(fetch<float>(stream, x) == std::vector<float>{3, 3});
}

TEST_CASE("a capture is void after a call that it forbids") {
  const Stream stream = make_stream();
  const PinnedBuffer pinned(4);
  const DeviceBuffer x(4);
  float pageable = 0;
  void* memory = nullptr;
  cudaGraph_t graph = nullptr;
  const auto begin = [&] {
    REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  };
  const auto is_void = [&] {
    return cudaStreamEndCapture(stream.get(), &graph) == cudaErrorStreamCaptureInvalidated;
  };
  begin();
  CHECK(cudaMalloc(&memory, 4) == cudaErrorStreamCaptureUnsupported);
  CHECK(is_void());
  begin();
  CHECK(cudaStreamSynchronize(stream.get()) == cudaErrorStreamCaptureUnsupported);
  CHECK(is_void());
  begin();
  CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  CHECK(is_void());
  begin();
  CHECK(cudaMemcpyAsync(x.data(), &pageable, 4, cudaMemcpyHostToDevice, stream.get()) ==
        cudaErrorStreamCaptureUnsupported);
  CHECK(is_void());
  begin();
  CHECK(cudaMemcpyAsync(x.data(), pinned.data(), 4, cudaMemcpyHostToDevice, stream.get()) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaErrorIllegalState);
  cudaGetLastError();
}

TEST_CASE("events of a capture are no events for the host, and other streams stay outside") {
  const Stream stream = make_stream(), other = make_stream();
  const Event inside = make_event(), outside = make_event();
  check(cudaEventRecord(outside.get(), other.get()), "record");
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "begin");
  CHECK(cudaStreamWaitEvent(stream.get(), outside.get(), 0) == cudaErrorStreamCaptureIsolation);
  CHECK(cudaEventRecord(inside.get(), stream.get()) == cudaSuccess);
  CHECK(cudaEventSynchronize(inside.get()) == cudaErrorCapturedEvent);
  CHECK(cudaEventSynchronize(outside.get()) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}
