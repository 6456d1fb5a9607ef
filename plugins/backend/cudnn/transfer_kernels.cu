// SPDX-License-Identifier: Apache-2.0
#include "formats.hpp"
#include "transfer_kernels.hpp"

namespace halfling::cudnn {
namespace {

struct Convert {
  const float* from;
  void* to;
  DType dtype;
  HALFLING_DEVICE void operator()(std::int64_t i) const { store(dtype, from[i], to, i); }
};

struct Pack {
  const Piece* pieces;
  unsigned char* to;
  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const Piece& piece = pieces[block.index];
    block.each([&](int thread) {
      for (std::int64_t i = thread; i < piece.bytes; i += block.threads) to[piece.offset + i] = piece.from[i];
    });
  }
};

}  // namespace

void launch_convert(cudaStream_t stream, const float* from, void* to, DType dtype, std::int64_t elements) {
  launch_elements(stream, elements, Convert{from, to, dtype});
}

void launch_pack(cudaStream_t stream, const Piece* pieces, int count, unsigned char* to) {
  launch_blocks(stream, count, 32, 0, Pack{pieces, to});
}

}  // namespace halfling::cudnn
