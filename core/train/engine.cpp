// SPDX-License-Identifier: Apache-2.0
#include "train/engine.hpp"

#include <fmt/format.h>

#include "halfling/error.hpp"

namespace halfling {
namespace {

struct Candidate {
  std::string name;
  std::unique_ptr<Backend> backend;
  std::vector<Device> devices;
  std::vector<std::string> passed_over;  ///< preferred ones without a device, and why
};

Candidate named_backend(const Choice& choice, const Registry& registry) {
  Candidate candidate{choice.use, registry.create<Backend>(choice.use, choice.options), {}, {}};
  candidate.devices = candidate.backend->devices();
  if (!candidate.devices.empty()) return candidate;
  throw Error({.what = "the backend has no device here",
               .where = "backend.use",
               .got = choice.use,
               .expected = {},
               .hint = candidate.backend->unavailable(),
               .kind = ErrorKind::usage});
}

/// The backend of highest preference that has a device. One that cannot be made is passed over.
Candidate best_backend(const Experiment& experiment, const Registry& registry) {
  Candidate best;
  std::vector<Candidate> without_device;
  std::string reasons;
  for (const std::string& name : registry.names(Backend::kind)) {
    try {
      const Options options = backend_options(experiment, *registry.get(Backend::kind, name).descriptor);
      Candidate candidate{name, registry.create<Backend>(name, options), {}, {}};
      if (candidate.backend->preference() < 0) continue;
      candidate.devices = candidate.backend->devices();
      if (candidate.devices.empty()) {
        reasons +=
            fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, candidate.backend->unavailable());
        without_device.push_back(std::move(candidate));
      } else if (!best.backend || candidate.backend->preference() > best.backend->preference()) {
        best = std::move(candidate);
      }
    } catch (const Error& error) {
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, error.details().what);
    }
  }
  for (const Candidate& other : without_device)
    if (best.backend && other.backend->preference() > best.backend->preference())
      best.passed_over.push_back(other.name + ": " + other.backend->unavailable());
  if (best.backend) return best;
  throw Error({.what = "no backend that may be chosen by itself has a device here",
               .where = "backend.use",
               .got = "auto" + (reasons.empty() ? "" : " (" + reasons + ")"),
               .expected = {},
               .hint = "name one with --set backend.use=NAME; `halfling devices` lists them",
               .kind = ErrorKind::usage});
}

Error missing_format(const Engine& engine, const std::string& policy, DType format) {
  std::string known;
  for (const DType other : {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16})
    if (engine.device.support(other) != FormatSupport::none)
      known += (known.empty() ? "" : ", ") + std::string(name_of(other));
  return Error({.what = "the device does not have a number format that the precision policy uses",
                .where = "precision.use",
                .got = fmt::format("{} of {}, on backend {}", name_of(format), policy, engine.backend_name),
                .expected = "formats among " + known,
                .hint = "choose another precision.use or backend.use",
                .kind = ErrorKind::usage});
}

void bind_policy(Engine& engine, const std::string& name) {
  engine.policy->bind(engine.device);
  for (const DType format : engine.policy->formats()) {
    const FormatSupport support = engine.device.support(format);
    if (support == FormatSupport::none) throw missing_format(engine, name, format);
    if (support == FormatSupport::emulated) engine.emulated.emplace_back(name_of(format));
  }
}

}  // namespace

Engine make_engine(const Experiment& experiment, const Registry& registry) {
  const bool automatic = experiment.backend.use == "auto";
  Candidate chosen =
      automatic ? best_backend(experiment, registry) : named_backend(experiment.backend, registry);
  Engine engine;
  engine.backend = std::move(chosen.backend);
  engine.backend_name = chosen.name;
  engine.passed_over = std::move(chosen.passed_over);
  engine.choice = automatic ? "auto: the preferred backend that has a device" : "named by backend.use";
  engine.device = chosen.devices.front();
  engine.policy = registry.create<PrecisionPolicy>(experiment.precision.use, experiment.precision.options);
  bind_policy(engine, experiment.precision.use);
  engine.architecture =
      registry.create<Architecture>(experiment.architecture.use, experiment.architecture.options);
  return engine;
}

}  // namespace halfling
