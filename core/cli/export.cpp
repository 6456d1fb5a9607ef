// SPDX-License-Identifier: Apache-2.0
// halfling export RUN --out generator.onnx
#include <fmt/format.h>

#include <iostream>

#include "base/atomic_file.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/trained_run.hpp"
#include "export/onnx.hpp"
#include "halfling/error.hpp"
#include "iteration/average.hpp"
#include "iteration/iteration.hpp"
#include "plan/platform.hpp"
#include "run/safetensors.hpp"
#include "train/sampler.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

class SinglePrecision final : public PrecisionPolicy {
 public:
  Precision precision(const Graph&, const Node&) const override { return {DType::f32, DType::f32}; }
  std::vector<DType> formats() const override { return {DType::f32}; }
};

fs::path output(const po::variables_map& values) {
  const std::string out = values["out"].as<std::string>();
  if (fs::path(out).extension() == ".onnx") return output_path(out);
  throw Error({.what = "the generator is written as ONNX only",
               .where = "--out",
               .got = out,
               .expected = "a name that ends in .onnx",
               .kind = ErrorKind::usage});
}

Graph sampling_graph(const TrainedRun& run, const Architecture& architecture, std::int64_t batch) {
  BatchSpec spec = run.label.spec;
  spec.batch = batch;
  Graph graph = build_sampling(architecture, SinglePrecision(), spec);
  const AverageSettings averages = averages_to_draw_with(run.experiment);
  return averages.active() ? with_averages(graph, averaged_states(graph, averages)) : graph;
}

/// What each number in `labels` draws, and where it comes from.
std::map<std::string, std::string> metadata(const TrainedRun& run) {
  std::map<std::string, std::string> metadata{{"experiment", run.experiment.name},
                                              {"trial", run.experiment.id},
                                              {"iteration", std::to_string(run.label.iteration)}};
  for (std::size_t i = 0; i < run.label.classes.size(); ++i)
    metadata[fmt::format("class {}", i)] = run.label.classes[i];
  return metadata;
}

void write_model(const fs::path& out, const fs::path& folder, const TrainedRun& run,
                 const Registry& registry) {
  const auto architecture =
      registry.create<Architecture>(run.experiment.architecture.use, run.experiment.architecture.options);
  if (!has_generator(*architecture, run.label.spec))
    throw Error({.what = "the run's architecture has no generator",
                 .where = folder.string(),
                 .got = run.experiment.architecture.use,
                 .expected = "a run of a GAN",
                 .kind = ErrorKind::usage});
  const SafetensorsFile checkpoint(run.checkpoint);
  const OnnxNetwork network{
      .graph = [&](std::int64_t batch) { return sampling_graph(run, *architecture, batch); },
      .weights = [&](const State& state) { return checkpoint.bytes(state.name); },
      .name = "generator",
      .description = fmt::format("the generator of {}, iteration {}: images in [0, 1], N x C x H x W",
                                 run.experiment.name, run.label.iteration),
      .metadata = metadata(run)};
  AtomicFile file(out);
  file.write(onnx_model(network));
  file.commit();
}

}  // namespace

Grammar export_grammar() {
  Grammar grammar{.synopsis = "export RUN --out FILE [options]",
                  .description =
                      "Writes the generator of a run folder as ONNX, in f32 and for batches of any\n"
                      "size: noise and labels in, images in [0, 1] out. The classes' names are in its\n"
                      "metadata.",
                  .positional = {"run"}};
  grammar.options.add_options()("out", po::value<std::string>()->value_name("FILE"), "ONNX file to write");
  add_checkpoint(grammar);
  add_plugin_path(grammar);
  return grammar;
}

int run_export(const Values& values) {
  if (values.count("run") == 0 || values.count("out") == 0)
    throw Error({.what = "export needs a run folder and a file to write",
                 .expected = "halfling export RUN --out FILE",
                 .kind = ErrorKind::usage});
  const fs::path out = output(values), folder = values["run"].as<std::string>();
  const Registry registry = Registry::scan(plugin_path(values));
  for (const std::string& note : refusal_notes(registry)) std::cerr << printable(note) << "\n";
  const TrainedRun run = trained_run(folder, checkpoint_text(values), registry);
  write_model(out, folder, run, registry);
  std::cerr << fmt::format("{}: the generator of {}, iteration {}\n", out.string(), run.experiment.name,
                           run.label.iteration);
  return exit_done;
}

}  // namespace halfling::cli
