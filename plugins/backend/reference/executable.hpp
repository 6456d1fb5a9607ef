// SPDX-License-Identifier: Apache-2.0
// A graph run node by node.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "halfling/backend.hpp"
#include "kernel.hpp"

namespace halfling::reference {

/// The states of a session, by name; executables and their session share them.
using States = std::map<std::string, Tensor, std::less<>>;

class GraphExecutable : public Executable {
 public:
  GraphExecutable(const Graph& graph, std::shared_ptr<States> states);
  void write(std::string_view input, std::span<const std::byte> data) override;
  void run() override;
  void read(std::string_view output, std::span<std::byte> data) override;
  MemoryUse memory() const override;
  void profile(bool on) override { profiling_ = on; }
  std::vector<ProfileEntry> profile() const override;
  void spoil() override;

 private:
  struct Step {
    Kernel kernel;
    Call call;
    std::chrono::duration<double> time{};
  };
  void read_states();
  void leave_states();
  ProfileEntry entry(const Step& step) const;

  const Graph graph_;
  std::shared_ptr<States> states_;
  std::vector<Tensor> values_;  ///< by ValueId, all held at once: plain beats small here
  std::vector<Step> steps_;
  bool profiling_ = false;
  int profiled_runs_ = 0;
};

}  // namespace halfling::reference
