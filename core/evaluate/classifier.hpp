// SPDX-License-Identifier: Apache-2.0
// The classifier through which the images of a data set are looked at: this program trains it itself, once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "evaluate/real_images.hpp"

namespace halfling {

/// Told in one line to people.
using Note = std::function<void(const std::string&)>;

/// An extractor, and how often it is right about held-out images.
struct Judge {
  std::unique_ptr<quality::Extractor> extractor;
  double accuracy = 0;
};

/// The classifier of the experiment's data set and transforms, from the cache
/// ($XDG_CACHE_HOME/halfling/classifiers, else ~/.cache/...), or trained now on what is not held out and put
/// there. It depends on neither the experiment's seed nor its precision nor its backend: a run's judge does
/// not change with the run. Where two processes train it at once, the one that ends first keeps its own for
/// both. A cache that cannot be written is told and does no harm.
Judge judge_of(const Experiment& experiment, const Registry& registry, const RealImages& real,
               const Note& note);

}  // namespace halfling
