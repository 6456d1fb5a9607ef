// SPDX-License-Identifier: Apache-2.0
// An experiment file, read: TOML in, fully resolved trials out. Nothing here touches the data, a device or
// the code of a plugin; only the plugins' option declarations are needed.
//
//   const LoadedExperiment loaded = load_experiment({"experiments/quickstart.toml", {"budget.time=2min"}},
//   registry); for (const Experiment& trial : loaded.trials) …
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/source.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/op.hpp"
#include "halfling/option.hpp"
#include "plugin/catalog.hpp"

namespace halfling {

/// A component table: the plugin that `use` names, and the plugin's options, checked and complete.
struct Choice {
  std::string use;
  Options options;
};

/// An element of a list of components, such as [[transform]].
struct NamedChoice : Choice {
  std::string name;       ///< unique in its list; the plugin's own unless the experiment gives one
  bool required = false;  ///< [[reporter]]: its failure ends the run
};

/// In order: "flip, crop".
std::string names_of(const std::vector<NamedChoice>& list);

/// [loss_scaler]
struct LossScalerSettings : Choice {
  ScalerScope scope = ScalerScope::operation;
  bool skip_together = false;  ///< skip = "any"
  std::int64_t patience = 0;   ///< skipped updates in a row that end the run; 0: never
};

/// "30s" or "500it": exactly one of the two is above zero.
struct Interval {
  double seconds = 0;
  std::int64_t iterations = 0;
  bool operator==(const Interval&) const = default;
};

/// "5000it", "10ep", "640000samples" or "80%" of the budget: exactly one is above zero.
struct TrainingLength {
  std::int64_t iterations = 0;
  double epochs = 0;
  std::int64_t samples = 0;
  double percent = 0;
  bool operator==(const TrainingLength&) const = default;
};

/// [optimizer.schedule]. What a kind does not have keeps its default.
struct ScheduleSettings {
  ScheduleAttributes::Kind kind = ScheduleAttributes::Kind::constant;
  std::optional<TrainingLength> warmup;
  double warmup_factor = 0;
  TrainingLength length;  ///< from the first update to the last that changes the rate, warm-up included
  double end_factor = 0;
  TrainingLength every;
  double factor = 1;
  bool active() const { return kind != ScheduleAttributes::Kind::constant || warmup; }
};

/// [optimizer], or what it comes to for one training operation.
struct OptimizerSettings : Choice {
  ScheduleSettings schedule;
};

/// [dataset]
struct DatasetSettings : Choice {
  double holdout = 0;  ///< share of the samples that training never sees
};

/// [input]
struct InputSettings {
  std::int64_t batch_size = 0;
  std::int64_t prefetch = 0;  ///< most batches in flight
  std::int64_t workers = 0;   ///< threads that read and decode
  bool shuffle = true;
  bool balance = false;  ///< every class equally often
};

/// [budget]: at least one is given; the first reached ends the run.
struct Budget {
  std::optional<double> time;  ///< seconds of training
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> samples;
};

/// [sample]: the grid of generated images, one column per class.
struct SampleSettings {
  Interval every;
  std::int64_t rows = 0;  ///< images per class
  std::uint64_t seed = 0;
  bool averages = true;  ///< draws with the averages of weights, where they are kept
};

/// [metrics]: lines of metrics.jsonl.
struct MetricsSettings {
  Interval every;
};

/// [monitor]: the numerics monitor, off without an interval.
struct MonitorSettings {
  std::optional<Interval> every;
  std::vector<std::string> values;
};

/// [average]: exponential moving averages of networks.
struct AverageSettings {
  double decay = 0;  ///< 0: no averages
  /// Prefixes of parameter names ("g."); empty: all that sampling uses.
  std::vector<std::string> networks;
  bool active() const { return decay > 0; }
};

/// [quality]: measured at the end of a run.
struct QualitySettings {
  std::int64_t samples = 0;      ///< images in each set; 0: not measured
  bool all_checkpoints = false;  ///< that are kept, not the newest alone
  bool active() const { return samples > 0; }
};

/// [checkpoint]: one is always written at the end.
struct CheckpointSettings {
  std::optional<Interval> every;
  std::int64_t keep = 0;                 ///< newest ones kept; at least 1
  std::vector<std::int64_t> milestones;  ///< iterations whose checkpoints are made and stay
};

/// [cost]: what an hour of the machine costs, as find_price takes it.
struct CostSettings {
  std::optional<std::string> price;
  std::optional<std::filesystem::path> prices;  ///< a price list
};

/// Where a value came from.
struct Origin {
  std::string key;    ///< "optimizer.learning_rate"
  std::string value;  ///< as TOML text
  std::string from;   ///< "experiments/a.toml:12:17", "--set #1", "default of adam 0.1.0", "default"
  std::vector<std::string> overrode;  ///< places of the values that it replaced, the nearest first
  config::Place place = {};           ///< where it stands; no source: a default. See Experiment::texts
};

/// One trial, fully resolved.
struct Experiment {
  std::string name;  ///< safe as the name of a folder
  std::uint64_t seed = 0;
  std::optional<std::filesystem::path> init_from;  ///< a checkpoint or a run folder
  /// `backend.use` may be "auto": then its options are only those that were given; see backend_options.
  Choice backend, precision, architecture;
  DatasetSettings dataset;
  OptimizerSettings optimizer;
  LossScalerSettings loss_scaler;
  std::vector<NamedChoice> transforms;  ///< in the order in which a sample passes them
  std::vector<NamedChoice> reporters;
  /// [optimizer.operation.<training operation>], merged over [optimizer] unless it uses another plugin. The
  /// operations' names are not checked here: only the architecture knows them.
  std::map<std::string, OptimizerSettings, std::less<>> optimizer_of;
  InputSettings input;
  Budget budget;
  SampleSettings sample;
  MetricsSettings metrics;
  MonitorSettings monitor;
  AverageSettings average;
  CheckpointSettings checkpoint;
  CostSettings cost;
  QualitySettings quality;

  std::string id;     ///< 12 hex digits of a SHA-1 over what identifies a trial in `toml` (core_tables.hpp):
                      ///< does not depend on key order, comments or the file's place
  std::string label;  ///< what the sweep set: "precision.use=mixed"; empty without a sweep
  std::string toml;   ///< a self-contained experiment file with absolute paths; loading it gives the same id
  std::vector<Origin> origins;                 ///< in the order of `toml`
  config::Place file;                          ///< the file that was asked for
  std::shared_ptr<const config::Texts> texts;  ///< what all places point into

  /// For a training operation.
  const OptimizerSettings& optimizer_for(std::string_view operation) const;
};

/// Options for the backend that "auto" chose: what the experiment gives, over the plugin's defaults.
Options backend_options(const Experiment& experiment, const PluginDescriptor& backend);

struct LoadRequest {
  std::filesystem::path file;    ///< shown in messages as given
  std::vector<std::string> set;  ///< KEY=VALUE, as on the command line
};

struct LoadedExperiment {
  std::vector<Experiment> trials;       ///< at least one, in the order in which they are to run
  bool continue_after_failure = false;  ///< sweep.on_failure = "continue"
  std::size_t blocks = 1;               ///< more, where the trials take turns: so many each
  std::vector<std::string> notes;       ///< one line each, for stderr: what a swapped plugin dropped
};

/// Reads a file with all that it extends, and checks every trial. Throws DiagnosticsError (diagnostics.hpp)
/// with everything that is wrong.
LoadedExperiment load_experiment(const LoadRequest& request, const PluginCatalog& catalog);

}  // namespace halfling
