// SPDX-License-Identifier: Apache-2.0
// halfling's side of onnx_export.py: what a run's generator draws, with the noise and the labels that it was
// given.
//   draw RUN FOLDER PLUGINS...: FOLDER/z.f32, labels.i32, images.u8
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>

#include "iteration/noise.hpp"
#include "plan/platform.hpp"
#include "run/checkpoint.hpp"
#include "train/sampler.hpp"

using namespace halfling;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t rows = 5;
constexpr std::uint64_t seed = 7;

template <class Elements>
void write(const fs::path& file, const Elements& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void draw(const fs::path& run, const fs::path& folder, const std::vector<fs::path>& plugins) {
  const Registry registry = Registry::scan(plugins);
  const Experiment experiment = load_experiment({run / "experiment.toml", {}}, registry).trials.front();
  const fs::path checkpoint = newest_checkpoint(run / "checkpoints").value();
  const CheckpointLabel label = read_label(checkpoint);
  const Platform platform = make_platform(experiment, registry);
  const auto session = platform.backend->open(platform.device_index);
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < rows * label.spec.classes; ++i)
    labels.push_back(i % static_cast<std::int32_t>(label.spec.classes));
  Sampler sampler(*session, *platform.architecture, *platform.policy,
                  {label.spec, labels, 1, seed, averages_to_draw_with(experiment)});
  load_states(checkpoint, sampler.graph().states(), *session);
  for (const Noise& noise : platform.architecture->noises())
    for (const Port& port : sampler.graph().inputs())
      if (port.name == noise.name)
        write(folder / (noise.name + ".f32"),
              fixed_noise(noise, sampler.graph().value(port.value).shape, label.spec.classes, seed));
  write(folder / "labels.i32", labels);
  write(folder / "images.u8", sampler.images(labels, seed));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw std::runtime_error("draw RUN FOLDER PLUGINS...");
    draw(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
