// SPDX-License-Identifier: Apache-2.0
// How good the images of a run are, measured.
#pragma once

#include <filesystem>
#include <span>

#include "evaluate/classifier.hpp"
#include "halfling/quality.hpp"
#include "run/summary.hpp"

namespace halfling {

/// Where an experiment holds nothing out: set aside for the classifier alone, and the generator has seen it.
inline constexpr double usual_holdout = 0.1;
inline constexpr std::int64_t usual_samples = 1000;

/// Three sets of as many images: generated from a checkpoint, held out, and trained with. Generated and
/// held-out ones are compared with the last; the generated ones are asked for the classes of the held-out
/// ones, so that all three have the classes in one proportion. At most `samples`, and no more than are held
/// out. Throws Error where these are fewer than quality::fewest_samples, where there is no generator, and
/// whatever goes wrong on the way.
/// `checkpoints`: at least one, oldest first; the last one is what the figures are of, those before are its
/// course.
Quality measure_quality(const Experiment& experiment, const Registry& registry,
                        std::span<const std::filesystem::path> checkpoints, std::int64_t samples,
                        const Note& note);

/// Measures a run that has ended, from the newest checkpoint in its folder, or all of them where the
/// experiment says so, and puts it into its summary and summary.json. Never throws what goes wrong while it
/// is measured: that stands in Quality::error of what is given back, and in the summary where that has no
/// figures from before.
Quality add_quality(const Experiment& experiment, const Registry& registry, const std::filesystem::path& run,
                    std::int64_t samples, Summary& summary, const Note& note);

}  // namespace halfling
