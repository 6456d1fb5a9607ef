// SPDX-License-Identifier: Apache-2.0
// How the classifier of a data set is trained: a trial like any other, whose settings stand here.
#pragma once

#include "evaluate/real_images.hpp"

namespace halfling {

/// Of the same data and transforms; its `id` is the hash of all that decides what is learned, the content of
/// the data included, but for the backend.
Experiment classifier_trial(const Experiment& experiment, const Registry& registry, const RealImages& real);
/// Where it is trained: at first "auto".
void use_backend(Experiment& trial, const Registry& registry, const std::string& backend);

}  // namespace halfling
