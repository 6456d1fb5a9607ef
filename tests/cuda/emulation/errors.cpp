// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <utility>

namespace emulation {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t status;
  const char* name;
  const char* text;
};
#define ERROR_TEXT(status, text) \
  { status, #status, text }
constexpr ErrorText error_texts[] = {
    ERROR_TEXT(cudaSuccess, "no error"),
    ERROR_TEXT(cudaErrorInvalidValue, "invalid argument"),
    ERROR_TEXT(cudaErrorMemoryAllocation, "out of memory"),
    ERROR_TEXT(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR_TEXT(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR_TEXT(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR_TEXT(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR_TEXT(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR_TEXT(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR_TEXT(cudaErrorNotReady, "device not ready"),
    ERROR_TEXT(cudaErrorNotSupported, "operation not supported"),
    ERROR_TEXT(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR_TEXT(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR_TEXT(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR_TEXT(cudaErrorCapturedEvent,
               "operation not permitted on an event last recorded in a capturing stream"),
    ERROR_TEXT(cudaErrorStreamCaptureWrongThread,
               "attempt to terminate a thread-local capture from another thread"),
};
#undef ERROR_TEXT

const ErrorText* find(cudaError_t status) {
  for (const ErrorText& entry : error_texts)
    if (entry.status == status) return &entry;
  return nullptr;
}

}  // namespace

cudaError_t report(cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}

}  // namespace emulation

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(emulation::last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  return emulation::last_error;
}

const char* cudaGetErrorName(cudaError_t status) {
  const auto* entry = emulation::find(status);
  return entry == nullptr ? "unrecognized error code" : entry->name;
}

const char* cudaGetErrorString(cudaError_t status) {
  const auto* entry = emulation::find(status);
  return entry == nullptr ? "unrecognized error code" : entry->text;
}

}  // extern "C"
