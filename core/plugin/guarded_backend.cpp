// SPDX-License-Identifier: Apache-2.0
#include "plugin/guarded.hpp"

namespace halfling {
namespace {

class GuardedExecutable final : public Guarded<Executable> {
 public:
  using Guarded::Guarded;

  void write(std::string_view input, std::span<const std::byte> data) override {
    call("Executable::write", [&](Executable& inner) { inner.write(input, data); });
  }
  void run() override {
    call("Executable::run", [](Executable& inner) { inner.run(); });
  }
  void read(std::string_view output, std::span<std::byte> data) override {
    call("Executable::read", [&](Executable& inner) { inner.read(output, data); });
  }
  bool asynchronous() const override {
    return call("Executable::asynchronous", [](const Executable& inner) { return inner.asynchronous(); });
  }
  void read_previous(std::string_view output, std::span<std::byte> data) override {
    call("Executable::read_previous", [&](Executable& inner) { inner.read_previous(output, data); });
  }
  MemoryUse memory() const override {
    return call("Executable::memory", [](const Executable& inner) { return inner.memory(); });
  }
  void profile(bool on) override {
    call("Executable::profile", [&](Executable& inner) { inner.profile(on); });
  }
  std::vector<ProfileEntry> profile() const override {
    return call("Executable::profile", [](const Executable& inner) { return inner.profile(); });
  }
  std::string remark() const override {
    return call("Executable::remark", [](const Executable& inner) { return inner.remark(); });
  }
  void spoil() override {
    call("Executable::spoil", [](Executable& inner) { inner.spoil(); });
  }
};

class GuardedSession final : public Guarded<Session> {
 public:
  using Guarded::Guarded;

  std::unique_ptr<Executable> compile(const Graph& graph) override {
    auto made = call("Session::compile", [&](Session& inner) { return inner.compile(graph); });
    if (!made) boundary().refuse("Session::compile", {.what = "a backend compiled nothing"});
    return std::make_unique<GuardedExecutable>(boundary(), std::move(made));
  }
  void write_state(std::string_view name, std::span<const std::byte> data) override {
    call("Session::write_state", [&](Session& inner) { inner.write_state(name, data); });
  }
  void read_state(std::string_view name, std::span<std::byte> data) const override {
    call("Session::read_state", [&](const Session& inner) { inner.read_state(name, data); });
  }
  std::uint64_t peak_device_bytes() const override {
    return call("Session::peak_device_bytes", [](const Session& inner) { return inner.peak_device_bytes(); });
  }
};

class GuardedBackend final : public Guarded<Backend> {
 public:
  using Guarded::Guarded;

  std::vector<Device> devices() const override {
    return call("Backend::devices", [](const Backend& inner) { return inner.devices(); });
  }
  std::string unavailable() const override {
    return call("Backend::unavailable", [](const Backend& inner) { return inner.unavailable(); });
  }
  int preference() const override {
    return call("Backend::preference", [](const Backend& inner) { return inner.preference(); });
  }
  std::string refusal(const Graph& graph, const Node& node) const override {
    return call("Backend::refusal", [&](const Backend& inner) { return inner.refusal(graph, node); });
  }
  std::unique_ptr<Session> open(int device) override {
    auto made = call("Backend::open", [&](Backend& inner) { return inner.open(device); });
    if (!made) boundary().refuse("Backend::open", {.what = "a backend opened nothing"});
    return std::make_unique<GuardedSession>(boundary(), std::move(made));
  }
};

}  // namespace

std::unique_ptr<Backend> guard(const Boundary& boundary, std::unique_ptr<Backend> inner) {
  return std::make_unique<GuardedBackend>(boundary, std::move(inner));
}

}  // namespace halfling
