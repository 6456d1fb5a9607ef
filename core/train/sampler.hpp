// SPDX-License-Identifier: Apache-2.0
// The grid of generated images: one column per class, the same noise every time, so that two grids differ
// only by the training between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "halfling/precision.hpp"
#include "report/png.hpp"

namespace halfling {

struct GridRequest {
  Shape image;                        ///< {C, H, W}
  std::int64_t classes = 0;           ///< that the architecture was trained with
  std::vector<std::int32_t> columns;  ///< class of each column
  std::int64_t rows = 0;              ///< images per column
  std::uint64_t seed = 0;             ///< of the noise
};

/// Draws with the states of the session, which it shares.
class Sampler {
 public:
  Sampler(Session& session, const Architecture& architecture, const PrecisionPolicy& policy,
          const GridRequest& request);

  Image draw();
  const Graph& graph() const { return graph_; }
  MemoryUse memory() const { return executable_->memory(); }

 private:
  struct Input {
    std::string name;
    std::vector<std::byte> bytes;
  };
  GridRequest request_;
  Graph graph_;
  std::unique_ptr<Executable> executable_;
  std::vector<Input> inputs_;
};

}  // namespace halfling
