// SPDX-License-Identifier: Apache-2.0
#include "plan/platform.hpp"

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
  std::vector<std::string> failed;
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
      const ErrorDetails& reason = error.details();
      failed.push_back(
          fmt::format("{}: {}{}{}", name, reason.what, reason.got.empty() ? "" : ": ", reason.got));
      reasons += (reasons.empty() ? "" : "; ") + failed.back();
    }
  }
  for (const Candidate& other : without_device)
    if (best.backend && other.backend->preference() > best.backend->preference())
      best.passed_over.push_back(other.name + ": " + other.backend->unavailable());
  best.passed_over.insert(best.passed_over.end(), failed.begin(), failed.end());
  if (best.backend) return best;
  for (const Unbuilt& plugin : registry.unbuilt())
    if (plugin.kind == Backend::kind)
      reasons += fmt::format("{}{}: not built, {}", reasons.empty() ? "" : "; ", plugin.name, plugin.lacking);
  throw Error({.what = "no backend that may be chosen by itself has a device here",
               .where = "backend.use",
               .got = "auto" + (reasons.empty() ? "" : " (" + reasons + ")"),
               .expected = {},
               .hint = "name one with --set backend.use=NAME; `halfling devices` lists them",
               .kind = ErrorKind::usage});
}

Error missing_format(const Platform& platform, const std::string& policy, DType format) {
  std::string known;
  for (const DType other : {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16})
    if (platform.device.support(other) != FormatSupport::none)
      known += (known.empty() ? "" : ", ") + std::string(name_of(other));
  return Error({.what = "the device does not have a number format that the precision policy uses",
                .where = "precision.use",
                .got = fmt::format("{} of {}, on backend {}", name_of(format), policy, platform.backend_name),
                .expected = "formats among " + known,
                .hint = "choose another precision.use or backend.use",
                .kind = ErrorKind::usage});
}

void bind_policy(Platform& platform, const std::string& name) {
  platform.policy->bind(platform.device);
  for (const DType format : platform.policy->formats()) {
    const FormatSupport support = platform.device.support(format);
    if (support == FormatSupport::none) throw missing_format(platform, name, format);
    if (support == FormatSupport::emulated) platform.emulated.emplace_back(name_of(format));
  }
}

}  // namespace

Platform make_platform(const Experiment& experiment, const Registry& registry, World world) {
  const bool automatic = experiment.backend.use == "auto";
  Candidate chosen =
      automatic ? best_backend(experiment, registry) : named_backend(experiment.backend, registry);
  Platform platform;
  platform.world = world;
  platform.backend = std::move(chosen.backend);
  platform.backend_name = chosen.name;
  platform.passed_over = std::move(chosen.passed_over);
  platform.choice = automatic ? "auto: the preferred backend that has a device" : "named by backend.use";
  platform.device = chosen.devices.front();
  platform.policy = registry.create<PrecisionPolicy>(experiment.precision.use, experiment.precision.options);
  bind_policy(platform, experiment.precision.use);
  platform.architecture =
      registry.create<Architecture>(experiment.architecture.use, experiment.architecture.options);
  return platform;
}

}  // namespace halfling
