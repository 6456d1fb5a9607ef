// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plugin/guarded.hpp"

namespace halfling {
namespace {

std::string type_text(const ValueInfo& value) {
  return fmt::format("{} {}", name_of(value.dtype), value.shape.text());
}

bool is_empty(const Graph& graph) {
  return graph.nodes().empty() && graph.inputs().empty() && graph.outputs().empty();
}

class GuardedArchitecture final : public Guarded<Architecture> {
 public:
  using Guarded::Guarded;

  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases = call("Architecture::training", [&](const Architecture& inner) {
      std::vector<Phase> made = inner.training(spec);
      for (const Phase& phase : made) verify(phase.graph);
      return made;
    });
    check_training(phases);
    return phases;
  }

  std::vector<Noise> noises() const override {
    std::vector<Noise> noises =
        call("Architecture::noises", [](const Architecture& inner) { return inner.noises(); });
    check_noises(noises);
    return noises;
  }

  Graph sampling(const BatchSpec& spec) const override {
    Graph graph = call("Architecture::sampling", [&](const Architecture& inner) {
      Graph made = inner.sampling(spec);
      verify(made);
      return made;
    });
    if (is_empty(graph)) return graph;
    check_samples(graph, spec);
    check_sampling_inputs(graph, spec);
    return graph;
  }

  Graph classification(const BatchSpec& spec) const override {
    Graph graph = call("Architecture::classification", [&](const Architecture& inner) {
      Graph made = inner.classification(spec);
      verify(made);
      return made;
    });
    if (!is_empty(graph)) check_classification(graph, spec);
    return graph;
  }

 private:
  void check_training(const std::vector<Phase>& phases) const {
    if (phases.empty())
      boundary().refuse("Architecture::training",
                        {.what = "the architecture has no phase, so that nothing would be trained",
                         .got = "an empty list",
                         .expected = "at least one Phase, with its graph and its training operations"});
    std::set<std::string> names;
    for (const Phase& phase : phases) {
      if (phase.operations.empty())
        boundary().refuse("Architecture::training",
                          {.what = fmt::format("phase \"{}\" has no training operation", phase.name),
                           .expected = "phase.operations = {{\"d\", loss, {\"d.\"}}}: name, loss, and the "
                                       "prefixes of the parameters that it updates"});
      for (const TrainingOperation& operation : phase.operations) {
        if (operation.name.empty() || !names.insert(operation.name).second)
          boundary().refuse("Architecture::training",
                            {.what = "training operations cannot be told apart",
                             .where = fmt::format("phase \"{}\"", phase.name),
                             .got = operation.name.empty() ? "one without a name"
                                                           : fmt::format("two named \"{}\"", operation.name),
                             .expected = "a name of its own for each, over all phases"});
        check_loss(phase, operation);
      }
      check_rhythm(phase);
    }
    for (const Phase& phase : phases)
      for (const TrainingOperation& operation : phase.operations) check_shares(phases, operation);
    if (std::ranges::any_of(phases, [](const Phase& phase) { return phase.every == 1; })) return;
    boundary().refuse("Architecture::training", {.what = "there are iterations in which no phase runs",
                                                 .got = "phases that all have an `every` above 1",
                                                 .expected = "at least one with every = 1"});
  }

  void check_rhythm(const Phase& phase) const {
    const auto check = [&](const char* field, std::int64_t value, std::int64_t most) {
      if (value >= 1 && value <= most) return;
      boundary().refuse("Architecture::training",
                        {.what = fmt::format("phase \"{}\" cannot run this often", phase.name),
                         .got = fmt::format("{} = {}", field, value),
                         .expected = fmt::format("{} from 1 to {}", field, most)});
    };
    check("repeat", phase.repeat, 1024);
    check("every", phase.every, 1 << 20);
  }

  void check_shares(const std::vector<Phase>& phases, const TrainingOperation& operation) const {
    if (operation.shares.empty()) return;
    for (const Phase& phase : phases)
      for (const TrainingOperation& other : phase.operations)
        if (other.name == operation.shares && other.shares.empty() && other.name != operation.name) return;
    boundary().refuse(
        "Architecture::training",
        {.what = fmt::format("training operation {} cannot share these optimizer states", operation.name),
         .got = fmt::format("shares = \"{}\"", operation.shares),
         .expected = "the name of another training operation, which shares none itself"});
  }

  void check_loss(const Phase& phase, const TrainingOperation& operation) const {
    const bool exists =
        operation.loss >= 0 && static_cast<std::size_t>(operation.loss) < phase.graph.values().size();
    const ValueInfo* loss = exists ? &phase.graph.value(operation.loss) : nullptr;
    if (loss != nullptr && loss->shape.rank() == 0 && is_float(loss->dtype)) return;
    const std::string what =
        loss == nullptr ? "has no loss" : "has a loss that is not a floating-point scalar";
    boundary().refuse(
        "Architecture::training",
        {.what = fmt::format("training operation {} {}", operation.name, what),
         .where = loss == nullptr ? "" : phase.graph.describe(operation.loss),
         .got = loss == nullptr ? "a value that is not of its phase's graph" : type_text(*loss),
         .expected = "a scalar of the graph of its phase",
         .hint = loss == nullptr ? "name the loss in {name, loss, prefixes}" : "take its mean: mean(loss)"});
  }

  void check_noises(const std::vector<Noise>& noises) const {
    std::set<std::string> names{"", "images", "labels"};
    for (const Noise& noise : noises) {
      check_distribution(noise);
      if (names.insert(noise.name).second) continue;
      boundary().refuse("Architecture::noises", {.what = "a noise has no name of its own",
                                                 .got = fmt::format("\"{}\"", noise.name),
                                                 .expected = "distinct names, other than images and labels"});
    }
  }

  void check_distribution(const Noise& noise) const {
    const bool finite = std::isfinite(noise.low) && std::isfinite(noise.high);
    const auto refuse = [&](const char* what, std::string got, const char* expected) {
      boundary().refuse("Architecture::noises", {.what = what, .got = std::move(got), .expected = expected});
    };
    switch (noise.kind) {
      case Noise::Kind::uniform:
        if (finite && noise.low < noise.high) return;
        return refuse("a noise has an impossible range",
                      fmt::format("{}: {} to {}", noise.name, noise.low, noise.high),
                      "finite numbers, the first below the second");
      case Noise::Kind::normal:
        if (finite && noise.high > 0) return;
        return refuse("a noise has an impossible normal distribution",
                      fmt::format("{}: mean {}, standard deviation {}", noise.name, noise.low, noise.high),
                      "finite numbers, the standard deviation above 0");
      case Noise::Kind::classes:
        return;
    }
    refuse("a noise is of an unknown kind",
           fmt::format("{}: number {}", noise.name, static_cast<int>(noise.kind)),
           "Noise::uniform, Noise::normal or Noise::classes");
  }

  void check_samples(const Graph& graph, const BatchSpec& spec) const {
    const auto found = std::ranges::find(graph.outputs(), "samples", &Port::name);
    const Shape shape{spec.batch, spec.image[0], spec.image[1], spec.image[2]};
    const std::string expected = "images of f32 in 0 to 1, " + shape.text();
    if (found == graph.outputs().end()) {
      std::string others;
      for (const Port& port : graph.outputs()) others += (others.empty() ? "" : ", ") + port.name;
      boundary().refuse("Architecture::sampling",
                        {.what = "the sampling graph has no output \"samples\"",
                         .got = others.empty() ? "no output" : "outputs " + others,
                         .expected = expected,
                         .hint = "name the generator's images: graph.output(\"samples\", images)"});
    }
    const ValueInfo& samples = graph.value(found->value);
    if (samples.shape == shape && is_float(samples.dtype)) return;
    boundary().refuse("Architecture::sampling",
                      {.what = "output \"samples\" of the sampling graph is no batch of images",
                       .where = graph.describe(found->value),
                       .got = type_text(samples),
                       .expected = expected,
                       .hint = "build for the BatchSpec that is given: spec.batch images of spec.image"});
  }

  void check_classification(const Graph& graph, const BatchSpec& spec) const {
    const auto refuse = [&](std::string what, std::string got, std::string expected) {
      boundary().refuse("Architecture::classification",
                        {.what = std::move(what), .got = std::move(got), .expected = std::move(expected)});
    };
    for (const auto& [name, width] : {std::pair{"features", "F"}, {"logits", "K"}}) {
      const auto found = std::ranges::find(graph.outputs(), name, &Port::name);
      const ValueInfo* output = found == graph.outputs().end() ? nullptr : &graph.value(found->value);
      const bool matrix = output != nullptr && is_float(output->dtype) && output->shape.rank() == 2 &&
                          output->shape[0] == spec.batch;
      if (matrix && (*width == 'F' || output->shape[1] == spec.classes)) continue;
      refuse(fmt::format("output \"{}\" of the classification graph is no matrix of its kind", name),
             output == nullptr ? "no such output" : type_text(*output),
             fmt::format("floats, [{}, {}], with {} classes", spec.batch, width, spec.classes));
    }
    for (const Port& port : graph.inputs())
      if (port.name != "images")
        refuse(fmt::format("nobody gives input \"{}\" of the classification graph", port.name),
               type_text(graph.value(port.value)), "images only");
  }

  void check_sampling_inputs(const Graph& graph, const BatchSpec& spec) const {
    const std::vector<Noise> known = noises();
    for (const Port& port : graph.inputs()) {
      const ValueInfo& input = graph.value(port.value);
      const auto noise = std::ranges::find(known, port.name, &Noise::name);
      const bool drawn = noise != known.end();
      const bool is_label = drawn ? noise->kind == Noise::Kind::classes : port.name == "labels";
      if (is_label && input.dtype == DType::i32 && input.shape == Shape{spec.batch}) continue;
      if (drawn && !is_label && input.dtype == DType::f32) continue;
      boundary().refuse(
          "Architecture::sampling",
          {.what = fmt::format("nobody gives input \"{}\" of the sampling graph", port.name),
           .got = type_text(input),
           .expected = fmt::format(
               "labels, i32 [{}], and the noises that noises() lists, f32 but for classes", spec.batch)});
    }
  }
};

}  // namespace

std::unique_ptr<Architecture> guard(const Boundary& boundary, std::unique_ptr<Architecture> inner) {
  return std::make_unique<GuardedArchitecture>(boundary, std::move(inner));
}

}  // namespace halfling
