// SPDX-License-Identifier: Apache-2.0
#include "evaluate/classifier.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "evaluate/classifier_extractor.hpp"
#include "evaluate/classifier_trial.hpp"
#include "halfling/cache.hpp"
#include "halfling/error.hpp"
#include "quality/metrics.hpp"
#include "run/checkpoint.hpp"
#include "train/interrupt.hpp"
#include "train/trial.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_held_out = 10000;  ///< images that the accuracy is of

Snapshot train(const Experiment& settings, const Registry& registry) {
  Trial trial(settings, registry);
  std::int64_t epoch = 0;
  while (trial.iterations_done() < *settings.budget.iterations) {
    if (interrupted()) throw Error({.what = "interrupted while the classifier was trained"});
    const IterationOutcome outcome = trial.iterate();
    epoch = outcome.epoch;
    if (!std::isfinite(outcome.losses.front())) throw trial.nonfinite_error(outcome.losses);
  }
  Snapshot snapshot;
  snapshot.read(trial.label(epoch), trial.states(), trial.session());
  return snapshot;
}

/// Makes the classifier of one trial on its backend.
class Maker {
 public:
  Maker(const Experiment& trial, const Registry& registry, const RealImages& real, const Note& note)
      : trial_(trial), registry_(registry), real_(real), note_(note), cache_(cache_folder("classifiers")) {}

  Judge make() {
    if (std::unique_ptr<quality::Extractor> cached = from_cache())
      return judge(std::move(cached), "from the cache");
    const auto begin = std::chrono::steady_clock::now();
    note_(fmt::format("  a classifier of the data is trained, once, in {} iterations",
                      *trial_.budget.iterations));
    const Snapshot trained = train(trial_, registry_);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::unique_ptr<quality::Extractor> other = from_cache();  // of a process that was faster
    if (other == nullptr) keep(trained);
    return judge(other ? std::move(other) : loaded([&](const std::vector<State>& states, Session& session) {
                   for (const State& state : states)
                     session.write_state(state.name, trained.bytes(state.name));
                 }),
                 fmt::format("trained in {:.0f} s", seconds.count()));
  }

 private:
  std::unique_ptr<quality::Extractor> loaded(const ClassifierExtractor::LoadStates& load) const {
    const BatchSpec spec{0, real_.shape(), static_cast<std::int64_t>(real_.classes().size()), real_.values()};
    return std::make_unique<ClassifierExtractor>(trial_, registry_, spec, load);
  }

  /// nullptr where there is none, or a damaged one, which is then trained anew.
  std::unique_ptr<quality::Extractor> from_cache() const {
    if (cache_.empty()) return nullptr;
    std::optional<std::filesystem::path> file;
    try {
      file = newest_checkpoint(cache_ / trial_.id);
      if (!file) return nullptr;
      return loaded(
          [&](const std::vector<State>& states, Session& session) { load_states(*file, states, session); });
    } catch (const Error& error) {
      note_(fmt::format("  the classifier in the cache cannot be used: {}: {}",
                        file ? file->string() : cache_.string(), error.details().what));
      return nullptr;
    }
  }

  void keep(const Snapshot& snapshot) const {
    try {
      if (!cache_.empty()) write_checkpoint(cache_ / trial_.id, {1}, snapshot);
    } catch (const Error& error) {
      note_(fmt::format("  the classifier is not kept in {}: {}", cache_.string(), error.details().got));
    }
  }

  Judge judge(std::unique_ptr<quality::Extractor> extractor, const std::string& from) const {
    const quality::Images held_out = real_.take(Part::held_out, most_held_out);
    const quality::Extracted seen = extractor->extract(held_out);
    const double accuracy = quality::class_metrics(seen.classes, held_out.labels,
                                                   static_cast<std::int64_t>(real_.classes().size()))
                                .accuracy;
    note_(fmt::format("  classifier {}: right about {:.1f} % of {} held-out images", from, 100 * accuracy,
                      held_out.count()));
    return {std::move(extractor), accuracy};
  }

  const Experiment& trial_;
  const Registry& registry_;
  const RealImages& real_;
  const Note& note_;
  fs::path cache_;
};

/// What "auto" chooses; `otherwise` where it finds no device.
std::string fastest_backend(const Experiment& trial, const Registry& registry, const std::string& otherwise) {
  try {
    return make_platform(trial, registry).backend_name;
  } catch (const Error&) {
    return otherwise;
  }
}

}  // namespace

/// On the fastest backend; one that lacks an op, as a young one may, should not keep images from being seen.
Judge judge_of(const Experiment& experiment, const Registry& registry, const RealImages& real,
               const Note& note) {
  Experiment trial = classifier_trial(experiment, registry, real);
  const std::string slower = registry.find(Backend::kind, "cpu") != nullptr ? "cpu" : "reference";
  const std::string fastest = fastest_backend(trial, registry, slower);
  use_backend(trial, registry, fastest);
  try {
    return Maker(trial, registry, real, note).make();
  } catch (const Error& error) {
    if (interrupted() || fastest == slower) throw;
    note(fmt::format("  the classifier needs backend {}: {}", slower, error.details().what));
  }
  use_backend(trial, registry, slower);
  return Maker(trial, registry, real, note).make();
}

}  // namespace halfling
