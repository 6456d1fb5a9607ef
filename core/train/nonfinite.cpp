// SPDX-License-Identifier: Apache-2.0
#include "train/nonfinite.hpp"

#include <array>
#include <cstdint>

#include "iteration/batch_inputs.hpp"
#include "iteration/diagnostic.hpp"
#include "iteration/host_value.hpp"

namespace halfling {
namespace {

/// The counter's upper half counts iterations (random.hpp).
void step_random_back(Session& session) {
  std::array<std::uint32_t, 4> counter{};
  session.read_state("random", std::as_writable_bytes(std::span(counter)));
  if (counter[2]-- == 0) --counter[3];
  session.write_state("random", std::as_bytes(std::span(counter)));
}

}  // namespace

std::optional<Nonfinite> first_nonfinite(const IterationGraph& iteration, Session& session,
                                         const Batch& batches) {
  const DiagnosticGraph diagnostic = build_diagnostic(iteration.graph);
  if (diagnostic.graph.find_state("random") != nullptr) step_random_back(session);
  const std::unique_ptr<Executable> executable = session.compile(diagnostic.graph);
  write_batches(*executable, batches, iteration.batches);
  executable->run();
  for (const auto& [output, value, stage] : diagnostic.values)
    if (read_number(*executable, diagnostic.graph, output) != 0) return Nonfinite{value, stage};
  return std::nullopt;
}

}  // namespace halfling
