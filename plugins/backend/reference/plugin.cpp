// SPDX-License-Identifier: Apache-2.0
// Backend `reference`: plain loops in double precision, every op in every format; slow, obvious, and the
// judge of all other backends.
#include <string>

#include "executable.hpp"
#include "halfling/backend.hpp"
#include "halfling/error.hpp"

namespace halfling::reference {

std::string refusal_of(const Node& node) {
  return has(node.op) ? std::string{} : "it does not have this op";
}

class ReferenceSession : public Session {
 public:
  std::unique_ptr<Executable> compile(const Graph& graph) override {
    for (const Node& node : graph.nodes()) check(node);
    for (const State& state : graph.states()) declare(state);
    return std::make_unique<GraphExecutable>(graph, states_);
  }
  void write_state(std::string_view name, std::span<const std::byte> data) override {
    load(at(name), name, data);
  }
  void read_state(std::string_view name, std::span<std::byte> data) const override {
    store(at(name), name, data);
  }

 private:
  static void check(const Node& node) {
    if (const std::string reason = refusal_of(node); !reason.empty())
      throw Error({.what = "backend reference cannot run " + std::string(name_of(node.op)) + ": " + reason,
                   .where = node.scope,
                   .got = {},
                   .expected = {},
                   .hint = {}});
  }
  void declare(const State& state) {
    const auto [found, added] = states_->try_emplace(state.name, state.dtype, state.shape);
    const Tensor& held = found->second;
    if (added || (held.dtype == state.dtype && held.shape == state.shape)) return;
    throw Error({.what = "two graphs declare one state differently",
                 .where = state.name,
                 .got = std::string(name_of(state.dtype)) + " " + state.shape.text(),
                 .expected = std::string(name_of(held.dtype)) + " " + held.shape.text(),
                 .hint = {}});
  }
  Tensor& at(std::string_view name) const {
    const auto found = states_->find(name);
    if (found != states_->end()) return found->second;
    throw Error({.what = "the session has no state of this name",
                 .where = {},
                 .got = std::string(name),
                 .expected = {},
                 .hint = "compile a graph that declares it first"});
  }

  std::shared_ptr<States> states_ = std::make_shared<States>();
};

class ReferenceBackend : public Backend {
 public:
  explicit ReferenceBackend(const Options&) {}

  std::vector<Device> devices() const override {
    return {Device{.name = "reference",
                   .memory = 0,
                   .formats = {{DType::f64, FormatSupport::native},
                               {DType::f32, FormatSupport::native},
                               {DType::tf32, FormatSupport::emulated},
                               {DType::f16, FormatSupport::emulated},
                               {DType::bf16, FormatSupport::emulated}},
                   .library = "plain loops in double precision"}};
  }
  int preference() const override { return -1; }
  std::string refusal(const Graph&, const Node& node) const override { return refusal_of(node); }
  std::unique_ptr<Session> open(int) override { return std::make_unique<ReferenceSession>(); }
};

}  // namespace halfling::reference

HALFLING_PLUGIN(halfling::reference::ReferenceBackend, "reference", HALFLING_VERSION,
                "plain loops in double precision: slow, obvious, the judge of all others",
                halfling::no_options)
