// SPDX-License-Identifier: Apache-2.0
#include "iteration/scaling.hpp"

#include <algorithm>

#include "iteration/collective.hpp"

namespace halfling {

std::string Scaling::prefix_of(const std::string& operation) const {
  return request_.scope == ScalerScope::shared ? "scaler" : "scaler." + operation;
}

Value Scaling::scale_of(const std::string& operation) const {
  return request_.scaler->active() ? request_.scaler->scale(graph_, prefix_of(operation))
                                   : constant(graph_, 1);
}

void Scaling::check(PendingUpdate& update) {
  graph_.context() = {update.name + ".update", Stage::update, {}};
  std::vector<ValueId> checked{update.loss};
  if (request_.scaler->active())
    checked.insert(checked.end(), update.gradients.begin(), update.gradients.end());
  update.found = combine_found(any_nonfinite(graph_, checked), request_.world);
  const auto known = std::ranges::find(checks_, update.name,
                                       [](const auto& check) -> const std::string& { return check.first; });
  if (known == checks_.end())
    checks_.emplace_back(update.name, update.found);
  else
    known->second = logical_or(known->second, update.found);
}

Value Scaling::any_found() const {
  Value found = checks_.front().second;
  for (std::size_t i = 1; i < checks_.size(); ++i) found = logical_or(found, checks_[i].second);
  return found;
}

void Scaling::update() {
  if (!request_.scaler->active()) return;
  graph_.context() = {"scaler", Stage::update, {}};
  if (request_.scope == ScalerScope::shared)
    request_.scaler->update(graph_, prefix_of(""), any_found());
  else
    for (const auto& [name, found] : checks_) request_.scaler->update(graph_, prefix_of(name), found);
}

}  // namespace halfling
