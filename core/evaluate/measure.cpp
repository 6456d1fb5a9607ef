// SPDX-License-Identifier: Apache-2.0
#include "evaluate/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/generated_images.hpp"
#include "halfling/error.hpp"
#include "quality/metrics.hpp"
#include "run/checkpoint.hpp"
#include "run/folder_lock.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

Error too_few(std::int64_t count, std::int64_t samples) {
  const bool asked = samples < quality::fewest_samples;
  return Error({.what = asked ? "too few images are asked for to measure their quality"
                              : "the data set holds out too few images to measure quality",
                .where = asked ? "quality.samples" : "dataset.holdout",
                .got = fmt::format("{} images", count),
                .expected = fmt::format("at least {}", quality::fewest_samples),
                .hint = asked ? "raise quality.samples" : "raise dataset.holdout, or take more samples",
                .kind = ErrorKind::usage});
}

/// Compares sets of images with one of training images.
class Comparison {
 public:
  Comparison(quality::Extractor& extractor, const quality::Images& reference, std::int64_t classes)
      : extractor_(extractor), reference_(extractor.extract(reference)), classes_(classes) {}

  ImageQuality of(const quality::Images& images, bool with_classes) const {
    const quality::Extracted seen = extractor_.extract(images);
    const auto manifolds = quality::precision_and_recall(reference_.features, seen.features);
    ImageQuality result{.frechet_distance = quality::frechet_distance(reference_.features, seen.features),
                        .kernel_distance = quality::kernel_distance(reference_.features, seen.features),
                        .precision = manifolds.precision,
                        .recall = manifolds.recall};
    const quality::ClassMetrics metrics = quality::class_metrics(seen.classes, images.labels, classes_);
    result.class_balance = metrics.balance;
    if (!with_classes) return result;
    result.class_accuracy = metrics.accuracy;
    result.class_accuracy_of = metrics.accuracy_of;
    return result;
  }

 private:
  quality::Extractor& extractor_;
  quality::Extracted reference_;
  std::int64_t classes_;
};

std::string sentence_of(const ErrorDetails& details) {
  std::string text = details.what;
  if (!details.where.empty()) text += ", " + details.where;
  if (!details.got.empty()) text += ": " + details.got;
  return text;
}

/// Memory that runs out counts as any other reason.
Quality measured_or_why_not(const std::function<Quality()>& measure) {
  Quality failed;
  try {
    return measure();
  } catch (const Error& error) {
    failed.error = sentence_of(error.details());
  } catch (const std::exception& error) {
    failed.error = error.what();
  }
  return failed;
}

std::string sentence_of(const Quality& quality) {
  const auto figures = [](const ImageQuality& q) {
    return fmt::format("Fréchet distance {:.3g}, class accuracy {:.3g}", q.frechet_distance,
                       q.class_accuracy);
  };
  return fmt::format("  quality of {} images: {}; of real ones: {}", quality.samples,
                     figures(quality.generated), figures(quality.real));
}

}  // namespace

Quality measure_quality(const Experiment& experiment, const Registry& registry,
                        std::span<const fs::path> checkpoints, std::int64_t samples, const Note& note) {
  Experiment held = experiment;
  if (held.dataset.holdout == 0) held.dataset.holdout = usual_holdout;
  GeneratedImages generated(experiment, registry, checkpoints.back());
  const RealImages real(held, registry);
  const std::int64_t count = std::min({samples, real.size(Part::held_out), real.size(Part::training)});
  if (count < quality::fewest_samples) throw too_few(count, samples);
  if (count < samples) note(fmt::format("  only {} images are held out, and compared", count));
  const Judge judge = judge_of(held, registry, real, note);
  const quality::Images held_out = real.take(Part::held_out, count);
  const Comparison comparison(*judge.extractor, real.take(Part::training, count),
                              static_cast<std::int64_t>(real.classes().size()));
  Quality result{.extractor = judge.extractor->name(),
                 .extractor_accuracy = judge.accuracy,
                 .samples = count,
                 .iteration = generated.label().iteration,
                 .classes = real.classes()};
  const bool conditional = generated.conditional();
  result.generated = comparison.of(generated.draw(held_out.labels, {}), conditional);
  if (experiment.average.active())
    result.averages = comparison.of(generated.draw(held_out.labels, experiment.average), conditional);
  result.real = comparison.of(held_out, true);
  for (const fs::path& checkpoint : checkpoints.first(checkpoints.size() - 1)) {
    GeneratedImages before(experiment, registry, checkpoint);
    result.course.push_back(
        {before.label().iteration, comparison.of(before.draw(held_out.labels, {}), conditional)});
  }
  return result;
}

Quality add_quality(const Experiment& experiment, const Registry& registry, const fs::path& run,
                    std::int64_t samples, Summary& summary, const Note& note) {
  const Quality quality = measured_or_why_not([&] {
    std::vector<fs::path> files;
    for (const auto& [iteration, file] : kept_checkpoints(run / "checkpoints")) files.push_back(file);
    if (files.empty()) throw Error({.what = "the run has no checkpoint", .where = run.string()});
    if (!experiment.quality.all_checkpoints) files.erase(files.begin(), files.end() - 1);
    return measure_quality(experiment, registry, files, samples, note);
  });
  const bool failed = !quality.error.empty();
  note(failed ? "  the quality of the images was not measured: " + quality.error : sentence_of(quality));
  if (failed && summary.quality && summary.quality->error.empty()) return quality;
  summary.quality = quality;
  try {
    const FolderLock lock(run);
    write_summary(run / "summary.json", summary);
  } catch (const Error& error) {
    note("  the summary could not be written with the quality: " + sentence_of(error.details()));
  }
  return quality;
}

}  // namespace halfling
