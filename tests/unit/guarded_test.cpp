// SPDX-License-Identifier: Apache-2.0
// The boundary of every kind of plugin: what components throw arrives as an Error that names plugin and call,
// and what they return is checked.
#include "guarded.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "halfling/nn.hpp"
#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;
using halfling::test::guarded;
using halfling::test::place;

namespace {

class Images : public Dataset {
 public:
  std::int64_t size() const override { return samples; }
  Shape sample_shape() const override { return shape; }
  const std::vector<std::string>& classes() const override { return names; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t>) const override {
    if (index == 0) throw std::runtime_error("the disk is gone");
    if (index == 1) throw 42;
    if (index == 2) throw std::bad_alloc();
    if (index == 3) throw Error({.what = "damaged", .where = "a.bin", .kind = ErrorKind::usage});
    return static_cast<std::int32_t>(index) - 5;  // 5 and 6 are right
  }
  std::int64_t samples = 100;
  Shape shape{1, 2, 2};
  std::vector<std::string> names{"a", "b"};
};

template <class Change>
ErrorDetails dataset_error(Change change) {
  auto images = std::make_unique<Images>();
  change(*images);
  return error_of([&] { guarded<Dataset>(std::move(images)); });
}

/// A network of one layer whose parts a test spoils.
class Network : public Architecture {
 public:
  std::vector<Phase> training(const BatchSpec& spec) const override {
    if (training_throws) throw std::logic_error("no option is called depth");
    std::vector<Phase> phases(static_cast<std::size_t>(phase_count));
    for (Phase& phase : phases) {
      phase.name = "main";
      const Value loss = mean(logits(phase.graph, spec));
      const Value vector = logits(phase.graph, spec);
      for (const char* name : names) phase.operations.push_back({name, scalar_loss ? loss : vector, {"d."}});
      if (!loss_given) phase.operations[0].loss = no_value;
      phase.repeat = repeat;
      phase.every = every;
      if (!phase.operations.empty()) phase.operations.back().shares = shares;
    }
    return phases;
  }
  std::vector<Noise> noises() const override { return noise; }
  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    if (!generates) return graph;
    const Shape shape{sampled, spec.image[0], spec.image[1], spec.image[2]};
    graph.output(output, noise_input(graph, input, shape));
    return graph;
  }

  Graph classification(const BatchSpec& spec) const override {
    Graph graph;
    if (seen_classes == 0) return graph;
    const Value flat = reshape(images_input(graph, spec), {spec.batch, spec.image.elements()});
    graph.output("features", flat);
    graph.output("logits", nn::linear(flat, "c.fc", seen_classes));
    return graph;
  }

  bool training_throws = false, scalar_loss = true, loss_given = true, generates = true;
  std::int64_t seen_classes = 0;
  int phase_count = 1;
  std::int64_t repeat = 1, every = 1;
  std::string shares;
  std::vector<const char*> names{"d"};
  std::vector<Noise> noise{{"z", -1, 1}};
  std::string output = "samples", input = "z";
  std::int64_t sampled = 4;

 private:
  static Value logits(Graph& graph, const BatchSpec& spec) {
    const Value flat = reshape(images_input(graph, spec), {spec.batch, spec.image.elements()});
    return nn::linear(flat, "d.fc", 1);
  }
};

template <class Change>
ErrorDetails architecture_error(const char* call, Change change) {
  auto network = std::make_unique<Network>();
  change(*network);
  const auto architecture = guarded<Architecture>(std::move(network));
  const BatchSpec spec{4, {1, 2, 2}, 2};
  const ErrorDetails error = error_of([&] {
    architecture->training(spec);
    architecture->sampling(spec);
    architecture->classification(spec);
    architecture->noises();
  });
  CAPTURE(error.what);
  CHECK(error.where.ends_with(place(call, "architecture")));
  return error;
}

}  // namespace

TEST_CASE("an exception of any type becomes an Error that names plugin and call") {
  const auto data = guarded<Dataset>(std::make_unique<Images>());
  std::vector<std::uint8_t> pixels(4);
  const auto error = [&](std::int64_t index) { return error_of([&] { data->read(index, pixels); }); };
  const std::string here = place("Dataset::read", "dataset");
  CHECK(error(0).where == here);
  CHECK(error(0).got == "the disk is gone");
  CHECK(error(0).kind == ErrorKind::failure);
  CHECK(error(1).where == here);
  CHECK(error(1).got == "an exception that is no std::exception");
  CHECK(error(2).where == here);
  CHECK_THROWS_AS(data->read(2, pixels), PluginOutOfMemory);
  CHECK(error(3).what == "damaged");
  CHECK(error(3).where == "a.bin, in " + here);
  CHECK(error(3).kind == ErrorKind::usage);
  CHECK(architecture_error("Architecture::training", [](Network& n) { n.training_throws = true; }).got ==
        "no option is called depth");
}

TEST_CASE("a data set's labels and facts are checked where they enter") {
  const auto data = guarded<Dataset>(std::make_unique<Images>());
  CHECK(data->size() == 100);
  CHECK(data->sample_shape() == Shape{1, 2, 2});
  CHECK(data->classes() == std::vector<std::string>{"a", "b"});
  std::vector<std::uint8_t> pixels(4);
  CHECK(data->read(6, pixels) == 1);
  for (const auto& [index, label] : {std::pair{4, "-1"}, std::pair{7, "2"}}) {
    const ErrorDetails error = error_of([&, index = index] { data->read(index, pixels); });
    CHECK(error.what == "the data set gave a label that is no class of it");
    CHECK(error.where == "sample " + std::to_string(index) + ", in " + place("Dataset::read", "dataset"));
    CHECK(error.got == label);
    CHECK(error.expected == "0 to 1");
  }
  CHECK(dataset_error([](Images& i) { i.samples = 0; }).expected == "at least 1");
  CHECK(dataset_error([](Images& i) { i.shape = {28, 28}; }).got == "[28, 28]");
  CHECK(dataset_error([](Images& i) { i.shape = {1, 0, 28}; }).got == "[1, 0, 28]");
  CHECK(dataset_error([](Images& i) { i.names = {}; }).got == "no class");
  CHECK(dataset_error([](Images& i) { i.names = {"a", "a"}; }).got == "a name that is empty or stands twice");
  CHECK(dataset_error([](Images& i) { i.names = {"a", "a"}; }).where == place("Dataset::classes", "dataset"));
}

TEST_CASE("an architecture's phases and losses are checked, with the way out") {
  const char* const training = "Architecture::training";
  CHECK(architecture_error(training, [](Network& n) {
          n.phase_count = 0;
        }).what.starts_with("the architecture has no phase"));
  CHECK(architecture_error(training, [](Network& n) { n.names = {}; }).what ==
        "phase \"main\" has no training operation");
  CHECK(architecture_error(training, [](Network& n) { n.names = {"d", "d"}; }).got == "two named \"d\"");
  CHECK(architecture_error(training, [](Network& n) { n.phase_count = 2; }).got == "two named \"d\"");
  CHECK(architecture_error(training, [](Network& n) { n.names = {""}; }).got == "one without a name");
  CHECK(architecture_error(training, [](Network& n) { n.loss_given = false; }).what ==
        "training operation d has no loss");
  CHECK(architecture_error(training, [](Network& n) { n.repeat = 0; }).got == "repeat = 0");
  CHECK(architecture_error(training, [](Network& n) { n.every = -1; }).got == "every = -1");
  CHECK(architecture_error(training, [](Network& n) { n.every = 2; }).what ==
        "there are iterations in which no phase runs");
  for (const char* other : {"e", "d"})
    CHECK(architecture_error(training, [&](Network& n) { n.shares = other; }).got ==
          "shares = \"" + std::string(other) + "\"");
  const ErrorDetails vector = architecture_error(training, [](Network& n) { n.scalar_loss = false; });
  CHECK(vector.what == "training operation d has a loss that is not a floating-point scalar");
  CHECK(vector.got == "f32 [4, 1]");
  CHECK(vector.hint == "take its mean: mean(loss)");
}

TEST_CASE("an architecture's samples and noises are checked, with the way out") {
  const char* const sampling = "Architecture::sampling";
  const ErrorDetails missing = architecture_error(sampling, [](Network& n) { n.output = "images"; });
  CHECK(missing.what == "the sampling graph has no output \"samples\"");
  CHECK(missing.got == "outputs images");
  CHECK(missing.hint == "name the generator's images: graph.output(\"samples\", images)");
  const ErrorDetails shape = architecture_error(sampling, [](Network& n) { n.sampled = 3; });
  CHECK(shape.got == "f32 [3, 1, 2, 2]");
  CHECK(shape.expected == "images of f32 in 0 to 1, [4, 1, 2, 2]");
  CHECK(architecture_error(sampling, [](Network& n) { n.input = "images"; }).what ==
        "nobody gives input \"images\" of the sampling graph");
  CHECK(architecture_error(sampling, [](Network& n) { n.input = "labels"; }).got == "f32 [4, 1, 2, 2]");
  const char* const noises = "Architecture::noises";
  CHECK(architecture_error(noises, [](Network& n) { n.noise = {{"z", 1, 1}}; }).got == "z: 1 to 1");
  CHECK(architecture_error(noises, [](Network& n) { n.noise = {{"z", -1, 1}, {"z", 0, 1}}; }).got == "\"z\"");
  CHECK(architecture_error(noises, [](Network& n) { n.noise = {Noise::normal("z", 0, 0)}; }).got ==
        "z: mean 0, standard deviation 0");
  CHECK(architecture_error(noises, [](Network& n) { n.noise[0].kind = static_cast<Noise::Kind>(9); }).got ==
        "z: number 9");
  CHECK(architecture_error(sampling, [](Network& n) { n.noise = {Noise::classes("z")}; }).got ==
        "f32 [4, 1, 2, 2]");
}

namespace {

class Scaler : public LossScaler {
 public:
  Value scale(Graph& graph, const std::string&) const override { return constant(graph, 8, {2}); }
  void update(Graph&, const std::string&, Value) const override { throw "a text"; }
};

class Descent : public Optimizer {
 public:
  double learning_rate() const override { return std::numeric_limits<double>::infinity(); }
  Value update(const ParameterUpdate& update) const override { return update.step; }
};

class Policy : public PrecisionPolicy {
 public:
  Precision precision(const Graph&, const Node&) const override { return {DType::u8, DType::f32}; }
  std::vector<DType> formats() const override { return {DType::i32}; }
};

}  // namespace

TEST_CASE("values and formats that the other kinds answer with are checked") {
  Graph graph;
  const auto scaler = guarded<LossScaler>(std::make_unique<Scaler>());
  CHECK(scaler->active());
  CHECK(error_of([&] { scaler->scale(graph, "d"); }).got == "f32 [2]");
  CHECK(error_of([&] { scaler->update(graph, "d", {}); }).where ==
        place("LossScaler::update", "loss_scaler"));

  const auto optimizer = guarded<Optimizer>(std::make_unique<Descent>());
  const Value parameter = constant(graph, 1, {3}), step = constant(graph, 1, {}, DType::i32);
  const ErrorDetails update = error_of([&] {
    optimizer->update({"d", parameter, parameter, step, step, step, step});
  });
  CHECK(update.where.ends_with(place("Optimizer::update", "optimizer")));
  CHECK(update.got == "i32 []");
  CHECK(update.expected == "f32 [3]");
  CHECK(error_of([&] {
          optimizer->update({"d", parameter, parameter, step, step, {}, step});
        }).got == "a value that is not of the graph");

  CHECK(error_of([&] { optimizer->learning_rate(); }).got == "inf");

  const auto policy = guarded<PrecisionPolicy>(std::make_unique<Policy>());
  CHECK(policy->parameter_format() == DType::f32);
  CHECK(error_of([&] { policy->precision(graph, graph.nodes()[0]); }).got == "u8");
  CHECK(error_of([&] { policy->formats(); }).where == place("PrecisionPolicy::formats", "precision"));
}

namespace {

class Step : public Executable {
 public:
  void write(std::string_view, std::span<const std::byte>) override {}
  void run() override { throw std::runtime_error("the device is lost"); }
  void read(std::string_view, std::span<std::byte>) override { throw OutOfMemory("cudaMalloc", 8, 4); }
  bool asynchronous() const override { return true; }
  void read_previous(std::string_view, std::span<std::byte>) override {}
  MemoryUse memory() const override { return {1, 2, 3}; }
  void profile(bool) override {}
  std::vector<ProfileEntry> profile() const override { return {{"a", "b"}}; }
  std::string remark() const override { return "slow"; }
  void spoil() override { throw std::runtime_error("nothing to spoil"); }
};

class Device1 : public Session {
 public:
  std::unique_ptr<Executable> compile(const Graph& graph) override {
    return graph.nodes().empty() ? nullptr : std::make_unique<Step>();
  }
  void write_state(std::string_view, std::span<const std::byte>) override {}
  void read_state(std::string_view, std::span<std::byte>) const override {}
  std::uint64_t peak_device_bytes() const override { return 7; }
};

class Devices : public Backend {
 public:
  std::vector<Device> devices() const override { throw 1; }
  std::string unavailable() const override { return "no driver"; }
  int preference() const override { return 5; }
  std::string refusal(const Graph&, const Node&) const override { return "never"; }
  std::unique_ptr<Session> open(int device) override {
    return device == 0 ? std::make_unique<Device1>() : nullptr;
  }
};

}  // namespace

TEST_CASE("a backend's session and executables are behind the boundary, too") {
  const auto backend = guarded<Backend>(std::make_unique<Devices>());
  CHECK(error_of([&] { backend->devices(); }).where == place("Backend::devices", "backend"));
  CHECK(backend->unavailable() == "no driver");
  CHECK(backend->preference() == 5);
  CHECK(error_of([&] { backend->open(1); }).what == "a backend opened nothing");
  const auto session = backend->open(0);
  CHECK(session->peak_device_bytes() == 7);
  Graph graph;
  CHECK(error_of([&] { session->compile(graph); }).what == "a backend compiled nothing");
  constant(graph, 1);
  const auto step = session->compile(graph);
  CHECK(step->asynchronous());
  CHECK(step->remark() == "slow");
  CHECK(step->memory().total() == 6);
  CHECK(step->profile().size() == 1);
  step->read_previous("loss.d", {});  // and not the interface's own, which throws
  CHECK(error_of([&] { step->run(); }).where == place("Executable::run", "backend"));
  CHECK_THROWS_AS(step->read("loss.d", {}), OutOfMemory);  // its handler needs the sizes
}

TEST_CASE("a value of another graph is refused by name, not read from beyond the end") {
  Graph graph, other;
  const Value a = constant(graph, 1), b = constant(other, 2);
  CHECK(error_of([&] { a + b; }).what == "add was given values of two graphs");
  CHECK(error_of([&] { a + Value{}; }).what == "add was given no value");
  CHECK(error_of([&] { graph.output("samples", 17); }).what ==
        "output samples was given a value that is not of this graph");
  state(graph, {.name = "d.w", .dtype = DType::f32, .shape = {}, .initial = {}});
  CHECK(error_of([&] { graph.assign("d.w", no_value); }).got == "-1");
}

TEST_CASE("an architecture may have no generator, and a classification graph has features and logits") {
  const BatchSpec spec{4, {1, 2, 2}, 2};
  auto network = std::make_unique<Network>();
  network->generates = false;
  network->seen_classes = 2;
  const auto architecture = guarded<Architecture>(std::move(network));
  CHECK(architecture->sampling(spec).outputs().empty());
  CHECK(architecture->classification(spec).outputs().size() == 2);
  CHECK(guarded<Architecture>(std::make_unique<Network>())->classification(spec).outputs().empty());
  const ErrorDetails classes =
      architecture_error("Architecture::classification", [](Network& n) { n.seen_classes = 3; });
  CHECK(classes.got == "f32 [4, 3]");
  CHECK(classes.expected == "floats, [4, K], with 2 classes");
}
