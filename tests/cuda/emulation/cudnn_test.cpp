// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph API in the emulation: the three operations of a convolution, the engines, and what is
// refused.
#include <cudnn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cudnn/device_buffer.hpp"

using namespace halfling::cudnn;

namespace {

void require(cudnnStatus_t status) {
  REQUIRE(status == CUDNN_STATUS_SUCCESS);
}

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    require(cudnnBackendCreateDescriptor(type, &handle_));
  }
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Descriptor() { cudnnBackendDestroyDescriptor(handle_); }
  cudnnBackendDescriptor_t get() const { return handle_; }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const std::vector<T>& values) {
    require(cudnnBackendSetAttribute(handle_, name, type, static_cast<std::int64_t>(values.size()),
                                     values.data()));
    return *this;
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values) {
    return set(name, CUDNN_TYPE_INT64, values);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return set<cudnnBackendDescriptor_t>(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, {value.handle_});
  }
  cudnnStatus_t finalize() { return cudnnBackendFinalize(handle_); }
  template <class T>
  std::vector<T> values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
    std::vector<T> result(16);
    std::int64_t count = 0;
    require(cudnnBackendGetAttribute(handle_, name, type, 16, &count, result.data()));
    result.resize(static_cast<std::size_t>(count));
    return result;
  }
  std::vector<Descriptor> descriptors(cudnnBackendAttributeName_t name,
                                      cudnnBackendDescriptorType_t type) const {
    std::vector<Descriptor> result;
    std::vector<cudnnBackendDescriptor_t> handles;
    for (int i = 0; i < 16; ++i) handles.push_back(result.emplace_back(type).handle_);
    std::int64_t count = 0;
    require(
        cudnnBackendGetAttribute(handle_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 16, &count, handles.data()));
    while (static_cast<std::int64_t>(result.size()) > count) result.pop_back();
    return result;
  }

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
};

struct Shape {
  std::int64_t n, c, h, w;
  std::int64_t elements() const { return n * c * h * w; }
};
constexpr Shape image{2, 8, 5, 4}, filter{8, 8, 3, 2},
    response{2, 8, 3, 3};  // strides 2 and 1, padding 1 and 0

Descriptor tensor(std::int64_t id, Shape s, cudnnDataType_t type, bool channels_last = true) {
  Descriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id})
      .set<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, {type})
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, {s.n, s.c, s.h, s.w})
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16})
      .set(CUDNN_ATTR_TENSOR_STRIDES, channels_last
                                          ? std::vector<std::int64_t>{s.h * s.w * s.c, 1, s.w * s.c, s.c}
                                          : std::vector<std::int64_t>{s.c * s.h * s.w, s.h * s.w, s.w, 1});
  require(result.finalize());
  return result;
}

struct Operation {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};
#define OPERATION(KIND, PREFIX, X, W, Y)                                                                    \
  Operation {                                                                                               \
    CUDNN_BACKEND_OPERATION_CONVOLUTION_##KIND##_DESCRIPTOR,                                                \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_##X, CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_##W,   \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_##Y,                                                    \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_CONV_DESC,                                              \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_##PREFIX##_BETA \
  }
const Operation forward = OPERATION(FORWARD, FORWARD, X, W, Y);
const Operation backward_data = OPERATION(BACKWARD_DATA, BWD_DATA, DX, W, DY);
const Operation backward_filter = OPERATION(BACKWARD_FILTER, BWD_FILTER, X, DW, DY);

Descriptor graph(const Operation& names, cudnnDataType_t type = CUDNN_DATA_FLOAT, bool channels_last = true) {
  Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2})
      .set<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, {CUDNN_DATA_FLOAT})
      .set<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
                                   {CUDNN_CROSS_CORRELATION})
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {1, 0})
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {1, 0})
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {2, 1})
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  require(convolution.finalize());
  Descriptor operation(names.type);
  operation.set(names.x, tensor('x', image, type, channels_last))
      .set(names.w, tensor('w', filter, type))
      .set(names.y, tensor('y', response, type))
      .set(names.convolution, convolution)
      .set<float>(names.alpha, CUDNN_TYPE_FLOAT, {1})
      .set<float>(names.beta, CUDNN_TYPE_FLOAT, {0});
  require(operation.finalize());
  Descriptor result(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  result.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  require(result.finalize());
  return result;
}

cudnnStatus_t suggest(const Descriptor& graph, cudnnBackendHeurMode_t mode, std::vector<Descriptor>& found) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .set<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, {mode});
  if (const auto status = heuristics.finalize(); status != CUDNN_STATUS_SUCCESS) return status;
  found = heuristics.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  return CUDNN_STATUS_SUCCESS;
}

/// A library, data on its device, and ways to run a configuration on them.
struct Bench {
  Stream stream = make_stream();
  cudnnHandle_t handle = nullptr;
  DeviceBuffer x = fill(image, 3, 7), w = fill(filter, 5, 11), y = fill(response, 2, 5);
  DeviceBuffer workspace{5000};

  Bench() {
    require(cudnnCreate(&handle));
    require(cudnnSetStream(handle, stream.get()));
  }
  ~Bench() { cudnnDestroy(handle); }

  /// Multiples of 1 + 2^-12, which TF32 and half cannot hold.
  static DeviceBuffer fill(Shape shape, int factor, int modulus) {
    std::vector<float> values;
    for (int i = 0; i < shape.elements(); ++i)
      values.push_back(static_cast<float>(i * factor % modulus - modulus / 2) * (1 + 0x1p-12f));
    DeviceBuffer buffer(values.size() * sizeof(float));
    check(cudaMemcpy(buffer.data(), values.data(), buffer.size(), cudaMemcpyHostToDevice), "copy");
    return buffer;
  }
  static std::vector<float> fetch(const DeviceBuffer& buffer) {
    std::vector<float> values(buffer.size() / sizeof(float));
    check(cudaMemcpy(values.data(), buffer.data(), buffer.size(), cudaMemcpyDeviceToHost), "copy");
    return values;
  }
  cudnnStatus_t run(const Descriptor& configuration, void* at_x, void* at_w, void* at_y,
                    void* scratch) const {
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR), pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
        .set<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, {handle});
    if (const auto status = plan.finalize(); status != CUDNN_STATUS_SUCCESS) return status;
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {'x', 'w', 'y'})
        .set<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, {at_x, at_w, at_y})
        .set<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, {scratch});
    require(pack.finalize());
    const auto status = cudnnBackendExecute(handle, plan.get(), pack.get());
    check(cudaStreamSynchronize(stream.get()), "wait");
    return status;
  }
  cudnnStatus_t run(const Descriptor& configuration) const {
    return run(configuration, x.data(), w.data(), y.data(), workspace.data());
  }
};

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

std::vector<Descriptor> fallback(const Operation& names) {
  std::vector<Descriptor> found;
  require(suggest(graph(names), CUDNN_HEUR_MODE_FALLBACK, found));
  REQUIRE(!found.empty());
  return found;
}

}  // namespace

TEST_CASE("a convolution at one place, by hand") {
  const Bench bench;
  require(bench.run(fallback(forward)[0]));
  const auto x = Bench::fetch(bench.x), w = Bench::fetch(bench.w), y = Bench::fetch(bench.y);
  // Image 1, channel 3 of the response, row 1, column 2: rows 1 to 3 and columns 2 and 3 of the image.
  double expected = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 8; ++c)
        expected +=
            static_cast<double>(x[((5 + 1 + a) * 4 + 2 + b) * 8 + c]) * w[((3 * 3 + a) * 2 + b) * 8 + c];
  CHECK(y[((3 + 1) * 3 + 2) * 8 + 3] == static_cast<float>(expected));
}

TEST_CASE("the gradients are the convolution's adjoints") {
  Bench bench;
  const auto x = Bench::fetch(bench.x), w = Bench::fetch(bench.w), dy = Bench::fetch(bench.y);
  require(bench.run(fallback(forward)[0]));
  const double expected = dot(Bench::fetch(bench.y), dy);
  bench.y = Bench::fill(response, 2, 5);
  require(bench.run(fallback(backward_data)[0]));
  CHECK(dot(Bench::fetch(bench.x), x) == doctest::Approx(expected).epsilon(1e-6));
  bench.x = Bench::fill(image, 3, 7);
  require(bench.run(fallback(backward_filter)[0]));
  CHECK(dot(Bench::fetch(bench.w), w) == doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("engines with a note of what they do worse, do worse") {
  const Bench bench;
  require(bench.run(fallback(forward)[0]));
  const auto right = Bench::fetch(bench.y);
  std::vector<Descriptor> found;
  require(suggest(graph(forward), CUDNN_HEUR_MODE_A, found));
  std::map<int, std::vector<float>> by_note;
  for (const auto& configuration : found) {
    const auto engine =
        configuration.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR)
            .at(0)
            .values<int>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
    if (bench.run(configuration) == CUDNN_STATUS_SUCCESS && !engine.empty())
      by_note[engine.back()] = Bench::fetch(bench.y);
    else
      CHECK(engine.empty());  // what cannot be built or run has no other fault
  }
  REQUIRE(by_note.size() == 4);
  for (const auto& [note, result] : by_note) CHECK_MESSAGE(result != right, note);
}

TEST_CASE("what cuDNN refuses") {
  std::vector<Descriptor> found;
  CHECK(suggest(graph(forward, CUDNN_DATA_FLOAT, false), CUDNN_HEUR_MODE_A, found) ==
        CUDNN_STATUS_NOT_SUPPORTED_LAYOUT);
  CHECK(suggest(graph(forward, CUDNN_DATA_BFLOAT16), CUDNN_HEUR_MODE_A, found) == CUDNN_STATUS_SUCCESS);
  REQUIRE(setenv("HALFLING_EMULATED_CAPABILITY", "7.5", 1) == 0);
  CHECK(suggest(graph(forward, CUDNN_DATA_BFLOAT16), CUDNN_HEUR_MODE_A, found) ==
        CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH);
  unsetenv("HALFLING_EMULATED_CAPABILITY");

  const Bench bench;
  const auto good = fallback(forward);
  const auto run = [&](void* x, void* workspace) {
    return bench.run(good[0], x, bench.w.data(), bench.y.data(), workspace);
  };
  std::vector<float> host(image.elements());
  const DeviceBuffer larger(bench.x.size() + 16), small(1023);
  CHECK(run(larger.data() + 16, bench.workspace.data()) == CUDNN_STATUS_SUCCESS);
  CHECK(run(larger.data() + 8, bench.workspace.data()) == CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
  CHECK(run(larger.data() + 32, bench.workspace.data()) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(host.data(), bench.workspace.data()) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(bench.x.data(), small.data()) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(bench.x.data(), nullptr) == CUDNN_STATUS_BAD_PARAM);
}

TEST_CASE("descriptors are checked") {
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  CHECK(tensor.finalize() == CUDNN_STATUS_BAD_PARAM);
  const float one = 1;
  CHECK(cudnnBackendSetAttribute(tensor.get(), CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_FLOAT, 1, &one) ==
        CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  std::int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(tensor.get(), CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 0, &count,
                                 nullptr) == CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  char text[100];
  cudnnGetLastErrorString(text, sizeof text);
  CHECK(std::string(text) == "the descriptor is not finalized");
}
