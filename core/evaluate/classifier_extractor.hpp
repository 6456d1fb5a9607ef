// SPDX-License-Identifier: Apache-2.0
// A trained classifier that looks at images.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plan/platform.hpp"
#include "quality/features.hpp"

namespace halfling {

class ClassifierExtractor final : public quality::Extractor {
 public:
  /// Writes these states into the session.
  using LoadStates = std::function<void(const std::vector<State>&, Session&)>;

  /// The trial is a classifier's, for images as the spec says; its batch does not matter.
  ClassifierExtractor(const Experiment& trial, const Registry& registry, const BatchSpec& spec,
                      const LoadStates& load);

  /// "classifier-" and a hash of its weights.
  std::string name() const override { return name_; }
  quality::Extracted extract(const quality::Images& images) override;

 private:
  void run(const quality::Images& images, std::int64_t first, quality::Extracted& result);

  Platform platform_;
  BatchSpec spec_;
  std::unique_ptr<Session> session_;
  Graph graph_;
  std::unique_ptr<Executable> executable_;
  std::string name_;
};

}  // namespace halfling
