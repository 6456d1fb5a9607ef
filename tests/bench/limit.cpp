// SPDX-License-Identifier: Apache-2.0
// Prints the machine's limits as JSON.
#include <iostream>
#include <nlohmann/json.hpp>

#include "machine_limit.hpp"

int main() {
  using halfling::DType;
  namespace bench = halfling::bench;
  std::cout << nlohmann::json{{"gemm_f32", bench::gemm_rate(DType::f32)},
                              {"gemm_bf16", bench::gemm_rate(DType::bf16)},
                              {"bandwidth", bench::update_bandwidth()}}
            << '\n';
}
