// SPDX-License-Identifier: Apache-2.0
// Metrics, image grids and settings for TensorBoard, in the folder tensorboard/ of the run.
#include <png.h>

#include <chrono>
#include <cmath>

#include "event.hpp"
#include "event_file.hpp"
#include "halfling/error.hpp"
#include "halfling/reporter.hpp"

namespace {

using namespace halfling;
using tensorboard::Scalar;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string png_of(const Image& image) {
  png_image format{};
  format.version = PNG_IMAGE_VERSION;
  format.width = static_cast<png_uint_32>(image.width);
  format.height = static_cast<png_uint_32>(image.height);
  format.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(format);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&format, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr))
    throw Error({.what = "libpng could not encode a grid", .got = format.message});
  bytes.resize(size);
  return bytes;
}

class TensorBoard final : public Reporter {
 public:
  explicit TensorBoard(const Options& options) : images_(options.boolean("images")) {}

  void began(const RunDescription& run) override {
    file_.open(run.folder / "tensorboard", now());
    file_.append(tensorboard::version_event(now()));
    if (run.iteration > 0) file_.append(tensorboard::restart_event(now(), run.iteration + 1));
    std::string settings = "| key | value |\n| --- | --- |\n";
    for (const auto& [key, value] : run.settings) settings += "| " + key + " | `" + value + "` |\n";
    file_.append(tensorboard::text_event(now(), run.iteration, "experiment", settings));
    file_.append(tensorboard::hparams_start_event(now(), run.trial, run.settings));
  }

  void metrics(const RunMetrics& m) override {
    std::vector<Scalar> scalars{{"images_per_s", m.images_per_s}, {"epoch", static_cast<double>(m.epoch)}};
    for (const OperationMetrics& o : m.operations) {
      scalars.push_back({"loss/" + o.name, o.loss});
      scalars.push_back({"loss_scale/" + o.name, o.loss_scale});
      scalars.push_back({"skipped/" + o.name, static_cast<double>(o.skipped)});
      scalars.push_back({"nonfinite/" + o.name, static_cast<double>(o.nonfinite)});
      scalars.push_back({"learning_rate/" + o.name, o.learning_rate});
    }
    std::erase_if(scalars, [](const Scalar& scalar) {
      return std::isnan(scalar.value) && scalar.tag == "images_per_s";
    });
    file_.append(tensorboard::scalars_event(now(), m.iteration, scalars));
  }

  void grid(const SampleGrid& grid) override {
    if (!images_) return;
    const Image& image = grid.image;
    file_.append(tensorboard::image_event(now(), grid.iteration, "samples",
                                          {image.width, image.height, image.channels, png_of(image)}));
  }

  void ended(const Summary& summary) override {
    file_.append(tensorboard::hparams_end_event(now(), summary.status == "failed"));
  }

 private:
  bool images_;
  tensorboard::EventFile file_;
};

constexpr OptionDeclaration options[] = {
    {"images", OptionType::boolean, "", "true", "whether image grids are written"},
};

}  // namespace

HALFLING_PLUGIN(TensorBoard, "tensorboard", HALFLING_VERSION, "metrics, grids and settings for TensorBoard",
                options)
