// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace emulation {

/// Every call of the runtime returns through this: it keeps the last error, as the runtime does, until
/// cudaGetLastError takes it.
cudaError_t report(cudaError_t status);

}  // namespace emulation
